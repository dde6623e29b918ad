"""/app: a reader's session, its address, its bridge to the page, its requests to the Hub."""
