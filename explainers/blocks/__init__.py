"""The explainer at /learn/blocks/."""
