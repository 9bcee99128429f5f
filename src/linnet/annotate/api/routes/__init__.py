"""The routes, one file per noun. Each checks the user, calls one function of a package below, and answers."""
