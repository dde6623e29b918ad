"""The keys of configs, a file of rows for each part of a model; reading/keys.py joins them."""
