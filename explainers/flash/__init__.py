"""The explainer at /learn/flash/."""
