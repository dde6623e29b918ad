"""The explainer at /learn/bits/."""
