"""Who may: accounts with argon2 passwords, and sessions."""
