"""The explainer at /learn/position/."""
