"""Mappings of columns that projects host, and mappings as all requests share them."""
