"""The `cutaway` command."""
