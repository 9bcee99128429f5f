"""What a string says: its forms, the things it names, and what it denies. Uses neither a terminology nor a model."""
