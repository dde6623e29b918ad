"""Why activations are harder to quantize than weights: the page /learn/activations/."""
