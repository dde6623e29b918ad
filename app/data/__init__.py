"""/data/: the catalogue as one table."""
