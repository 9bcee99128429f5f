"""Projects: finding them, their members and invitations, and who sees what of them."""
