"""The explainer at /learn/next-token/."""
