"""The explainer at /learn/tensor-parallel/."""
