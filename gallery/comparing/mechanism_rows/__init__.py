"""The mechanisms, a file of rows for each kind; comparing/mechanisms.py joins them."""
