"""The user of a connection, and the API keys of a person."""
