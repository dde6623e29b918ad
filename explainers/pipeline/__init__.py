"""The explainer at /learn/pipeline/."""
