"""The explainer at /learn/around-the-block/."""
