"""/trends/: how open models are built, over time, as plots that the catalogue's own table fills."""
