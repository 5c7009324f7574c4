"""Show results and texts to people."""
