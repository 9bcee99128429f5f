"""`linnet map review`: the page on which one person, on their own machine, checks a mapping.

server  the socket and the browser
app     protection, the page, and the routes of `linnet.annotate.api.mapping`
"""
