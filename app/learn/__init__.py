"""/learn/: the explainers as pages and as Panel widgets."""
