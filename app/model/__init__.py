"""A catalogued or typed model as pages ask for it: its numbers, drawings and tables, what it has."""
