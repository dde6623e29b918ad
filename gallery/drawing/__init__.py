"""The parts of a drawing: items with a size and a placement, and one picture per kind of mixer and MLP."""
