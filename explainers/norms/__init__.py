"""The explainer at /learn/norms/."""
