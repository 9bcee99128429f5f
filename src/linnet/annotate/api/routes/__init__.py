"""The routes, a file per noun. Each checks who asks, calls one function of a package below, and answers."""
