"""What medical words mean the same in a name: everyday and learned words for organs, kinds of illness, degrees.

Written by hand for this project, with the errors on the training sets of NCBI and BC5CDR in view: figures on these corpora
owe it something, and what is called "nothing learnt" does without. `linnet.text.gloss` applies it. It is in

    retrieve/exact.py        the two loosest levels of exact look-up, after all others have failed (`Pipeline.glossary`)
    retrieve/sparse.py       character, word and BM25 indexes that were built with it (`linnet index --glossary`)
    rerank/names.py          the words that the reranker `context` compares, on which it was trained
    recognise/dictionary.py  the loosest level of the dictionary recogniser

Encoders, dense indexes and trained recognisers do not read it. Inside train it helps exact look-up and costs the
others (docs/linking.md).
"""

from __future__ import annotations

__all__ = ["ADJECTIVES", "COMPOUNDS", "DROPPED", "KINDS", "MEANS"]

_SAME = """
kidney: kidneys renal nephric
liver: hepatic livers
heart: cardiac hearts
lung: lungs pulmonary
brain: cerebral encephalic brains
stomach: gastric
bowel: intestine intestinal intestines bowels
colon: colonic
skin: cutaneous dermal
eye: ocular ophthalmic eyes
mouth: oral
nose: nasal
bone: bones bony osseous
muscle: muscles muscular
spleen: splenic
pancreas: pancreatic
ovary: ovarian ovaries
uterus: uterine
prostate: prostatic
testis: testicular testes
breast: breasts mammary
retina: retinal
cornea: corneal
nerve: nerves neural
spine: spinal
esophagus: esophageal
artery: arterial arteries
vein: venous veins
aorta: aortic
blood: hematologic hematological hematopoietic
joint: joints articular
neoplasm: neoplasms neoplasia tumor tumors cancer cancers malignancy malignancies carcinoma carcinomas tumorigenesis neoplastic cancerous
disease: diseases disorder disorders syndrome syndromes condition conditions illness illnesses
deficiency: deficiencies deficient deficit deficits
injury: injuries damage lesion lesions trauma
dysfunction: dysfunctions impairment impairments insufficiency impaired
abnormality: abnormalities anomaly anomalies malformation malformations abnormal
familial: hereditary inherited heritable
hemorrhage: hemorrhages bleeding hemorrhagic
seizure: seizures convulsion convulsions convulsive
pain: ache aches pains painful
mood: affective
childhood: juvenile pediatric
loss: losses
inflammation: inflammatory
thrombosis: thromboses thrombotic
psychosis: psychotic psychoses
depression: depressive depressed depressions
diabetes: diabetic
allergy: allergic allergies
anemia: anemic
epilepsy: epileptic epilepsies
dystrophy: dystrophies dystrophic
"""
MEANS = {
    word: line.split(":")[0] for line in _SAME.strip().splitlines() for word in line.split(":")[1].split()
}
"""Word → the word it is compared as; all as `simplify` writes them."""

COMPOUNDS = {
    root + ending: f"{organ} {kind}"
    for root, organ in (
        ("nephro", "kidney"),
        ("encephalo", "brain"),
        ("hepato", "liver"),
        ("cardio", "heart"),
        ("neuro", "nervous system"),
        ("myo", "muscle"),
        ("retino", "retina"),
        ("dermato", "skin"),
        ("arthro", "joint"),
        ("angio", "vascular"),
        ("vasculo", "vascular"),
        ("osteo", "bone"),
        ("entero", "bowel"),
        ("gastro", "stomach"),
        ("pneumo", "lung"),
    )
    for ending, kind in (
        ("pathy", "disease"),
        ("pathies", "disease"),
        ("pathic", "disease"),
        ("toxicity", "toxicity"),
        ("toxic", "toxicity"),
    )
    # Neurotoxicity is a name of its own (neurotoxicity syndromes).
    if not (root == "neuro" and kind == "toxicity")
}
"""Learned compound → what it says in plain words: nephropathy → kidney disease."""

DROPPED = frozenset(
    {"sporadic", "isolated", "classic", "classical", "typical", "severe", "mild", "moderate", "human"}
)
"""Words that say which cases are meant, not which disease."""

ADJECTIVES = {
    "emic": "emia",
    "tensive": "tension",
    "otic": "osis",
    "itic": "itis",
    "pathic": "pathy",
    "plegic": "plegia",
    "paretic": "paresis",
    "trophic": "trophy",
    "penic": "penia",
    "algic": "algia",
    "uric": "uria",
    "phrenic": "phrenia",
    "static": "stasis",
    "rexic": "rexia",
    "mnesic": "mnesia",
    "rrhythmic": "rrhythmia",
}
"""End of an adjective → end of its noun: anemic → anemia."""

_KINDS = """
disease: toxicity toxicities injury dysfunction complication complications involvement problem problems symptom symptoms
disease: disturbance disturbances change changes alteration alterations event events defect defects abnormality
familial: autosomal recessive dominant genetic monogenic
"""
KINDS = {
    word: line.split(":")[0] for line in _KINDS.strip().splitlines() for word in line.split(":")[1].split()
}
"""Words that say something is wrong with an organ, or is inherited, and no more → the word the last level takes."""
