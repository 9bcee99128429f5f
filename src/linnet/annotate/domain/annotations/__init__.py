"""Changes to annotations: each is checked, applied and logged in one transaction."""
