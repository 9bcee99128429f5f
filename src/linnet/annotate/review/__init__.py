"""`linnet map review`: the page on which one person, on their own machine, checks a mapping.

server    the socket and the browser
app       routes, protection, the page
routes    rows and decisions; `many` approves in bulk; `concepts` looks concepts up
open_mapping   what all requests share
"""
