"""Views in the chat (MCP Apps): what a person sees, changes and confirms."""
