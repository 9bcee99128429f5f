"""Who annotates which documents, and how far each person is."""
