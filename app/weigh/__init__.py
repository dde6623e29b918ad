"""What decoding keeps, weighed: the section of a model's page, and the curve over contexts."""
