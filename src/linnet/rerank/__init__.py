"""Candidates put into a better order with what the context says."""
