"""A team's server of several processes, under load and faults, counted afterwards."""
