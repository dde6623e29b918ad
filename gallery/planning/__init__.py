"""The planner: a model, devices, axes of parallelism -> what each GPU holds and sends, and whether it fits."""
