"""The REST interface: schemas, routes, and the rules every request passes."""
