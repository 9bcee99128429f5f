"""What a string says: its words that are not part of a name, its short forms, its parts. Knows no terminology."""
