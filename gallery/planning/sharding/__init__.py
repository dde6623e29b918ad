"""Which rank holds which slice of a tensor: rules, the arithmetic of a share, and who holds what."""
