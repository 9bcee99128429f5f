"""`linnet map review`: the page on which one person, on their own machine, checks a mapping.

server        the socket and the browser
app           routes, protection, the page
routes        rows and decisions; `many` approves in bulk; `concepts` looks concepts up
schemas       bodies of requests and answers; `views` makes them of rows
access        who may send changes
open_mapping  the mapping as all requests share it
"""
