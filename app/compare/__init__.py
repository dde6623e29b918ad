"""/compare/: two models side by side."""
