"""The explainer at /learn/expert-parallel/."""
