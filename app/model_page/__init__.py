"""/models/: the list, and one page per model."""
