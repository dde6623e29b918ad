"""The explainer at /learn/decoder/."""
