"""/lineage/: models by date, each joined to its nearest earlier relative."""
