"""/poster/: all models on one sheet, to scale."""
