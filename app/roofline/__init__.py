"""/roofline/, and the compute section of a model's page."""
