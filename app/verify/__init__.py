"""/verify/: what the tests compared."""
