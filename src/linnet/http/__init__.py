"""What both services, `linnet.serve` and `linnet.annotate`, share; neither imports the other.

listening   the socket, and who can reach it
guards      host name and size of a request, before it is read
refusals    why a request is refused, with its status
problems    a refusal as the answer tells it
wording     advice in words for those who use or run a service
validation  what is wrong with the fields of a request, in words
reference   the API reference as a page
"""
