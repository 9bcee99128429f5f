"""Annotations changed one by one: each change is checked, applied and logged in one transaction."""
