"""Link a list of names and show why each answer was given."""

import linnet

NAMES = [
    "heart attack",
    "Type-II diabetes mellitus",
    "breast and ovarian cancer",
    "leukaemias",
    "MS",
    "chocolate",
]

linker = linnet.starter()
for link in linker.link(NAMES, k=3):
    print(f"{link.mention.text:30} {' + '.join(link.concepts) or 'NIL':30} {link.name}")
    for candidate in link.candidates:
        print(f"    {candidate.score:.3f}  {candidate.concept:15} {candidate.name}  ({candidate.origin})")
