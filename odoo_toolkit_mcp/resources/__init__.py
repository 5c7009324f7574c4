"""The resources: what clients can read, and subscribe to, by its address."""
