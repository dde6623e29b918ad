"""Design a model: a published config and a few edits -> the config that has them, its spec, and what can be edited.

An edit changes keys of the config itself, so that what is drawn is what config.json says and what transformers builds.
`table.py` says what can be edited and how layers are painted, `places.py` where a config says it, `strip.py` how it
writes which layer is what, `form.py` what a config has of it, `rules.py` what is refused, `design.py` does it.
"""
