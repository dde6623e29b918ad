"""The explainer at /learn/collectives/."""
