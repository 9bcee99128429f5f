"""Accounts, argon2 passwords, and sessions."""
