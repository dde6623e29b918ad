"""/design/: start from a model, change anything that its class has, and take the config.json."""
