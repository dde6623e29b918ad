"""/embed/: single files for frames, and what brings them into others' pages."""
