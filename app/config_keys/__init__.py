"""/config/: every key of config.json that is read: its meaning, its spellings, and its values in the catalogue."""
