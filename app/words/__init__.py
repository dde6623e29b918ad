"""What layers and their parts are called, in a few words."""
