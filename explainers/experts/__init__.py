"""The explainer at /learn/experts/."""
