"""Models without pages of their own: their configs in packs, which a reader's browser draws at the same addresses."""
