"""The explainer at /learn/delta-rule/."""
