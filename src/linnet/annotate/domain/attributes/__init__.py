"""Attributes of mentions: what a project defines, first guesses, and values that come with uploads.

A project's definitions are plain records (`definitions.Attribute`), in the order of the page. An annotation
has a value for each attribute that applies: true for a flag, else one of its values. Without a value, it has no entry.

definitions  names, keys and allowed values
guessing     the assertion rules' flags for predictions and new annotations
uploaded     values in what corpus formats keep of a mention
usage        how many annotations have which value
"""
