"""The explainer at /learn/heads/."""
