"""What if it had ...: a spec and a few edits (64 heads, 40 layers) -> the spec that would have them, and what follows.

`table.py` says what can be edited, `form.py` what of it a model has, `rules.py` what is refused, `edited.py` makes the
spec, `sheet.py` the numbers that app/model_page/what-if-sheet.js works out for any edits without Python.
"""
