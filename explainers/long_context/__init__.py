"""The explainer at /learn/long-context/."""
