"""The official conformance suite of MCP against a server with the tools that the suite calls."""
