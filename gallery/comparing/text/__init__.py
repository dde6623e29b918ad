"""Comparisons in words: a number, a cell of the table, a row, the verdict."""
