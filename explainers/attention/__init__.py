"""What is attention? Queries, keys, values, scale, softmax, mask and heads, on numbers of a model that runs."""
