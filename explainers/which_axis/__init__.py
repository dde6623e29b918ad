"""The explainer at /learn/which-axis/."""
