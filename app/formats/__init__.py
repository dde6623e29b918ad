"""/formats/: which number format to choose for a model's weights."""
