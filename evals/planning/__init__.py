"""Planning with an optimum: small instances from a seed, solved exactly."""
