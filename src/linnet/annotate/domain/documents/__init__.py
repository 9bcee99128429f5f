"""A project's documents: listed, ordered, and picked for export and learning."""
