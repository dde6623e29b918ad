"""The explainer at /learn/mla-numbers/."""
