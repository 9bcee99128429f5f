"""What strings are, before anything is read in them: normal forms, symbols, sentences, ids, kinds of concepts.

text, text_cache          five levels of normal forms; values computed from texts
glossary, symbols         medical synonyms; short forms whose letter case means something
sentences, mojibake       where sentences end; text that was decoded twice
curies, no_concept        ids of concepts, and what stands for none
semantic_groups           groups of semantic types
"""
