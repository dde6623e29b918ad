"""A config that a stranger typed -> markup, in a worker process that may be killed."""
