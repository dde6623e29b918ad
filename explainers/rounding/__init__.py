"""How numbers are rounded, and what rounding does to sums: the page /learn/rounding/."""
