"""The explainer at /learn/loops/."""
