"""/docs/: how to install and use the library and the command, what they return, a tutorial; derived from the code."""
