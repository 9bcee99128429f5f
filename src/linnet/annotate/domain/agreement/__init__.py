"""Agreement of annotators with each other, and with the curated sheets."""
