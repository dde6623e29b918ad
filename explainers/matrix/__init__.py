"""What a number format costs a whole weight matrix: error maps, signal to noise, zeros."""
