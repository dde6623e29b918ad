"""What follows from a spec in numbers: weights, parameters, memory, FLOPs, bytes, differences."""
