"""The explainer at /learn/context-parallel/."""
