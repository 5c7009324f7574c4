"""The views in a real browser, in a host that behaves as MCP Apps says."""
