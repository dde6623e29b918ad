"""The explainer at /learn/data-parallel/."""
