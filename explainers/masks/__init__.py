"""The explainer at /learn/masks/."""
