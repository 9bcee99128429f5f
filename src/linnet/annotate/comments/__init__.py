"""What people say about documents and mentions."""
