"""The explainer at /learn/roofline/."""
