"""The planner: a model, devices, axes of parallelism -> what each GPU holds, and whether it fits."""
