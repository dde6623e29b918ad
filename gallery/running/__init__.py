"""The graphs of a model computed in numpy, node by node, slow and obvious; and for which models that is proved right.

The only room beside mesh/ that needs numpy, and not before something is computed.
"""
