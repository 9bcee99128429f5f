"""Medical synonyms in names: everyday and learned words for organs, kinds of illness, degrees.

Written by hand for this project, guided by errors on the training sets of NCBI and BC5CDR, so figures on these corpora
benefit from it; systems called "nothing learnt" do not use it. `linnet.words.text.gloss` applies it. It is used in

    retrieve/exact.py        the two loosest levels of exact look-up, after all others have failed (`Pipeline.glossary`)
    retrieve/sparse.py       character, word and BM25 indexes that were built with it (`linnet index --glossary`)
    rerank/name_features.py  the words that the reranker `context` compares, on which it was trained
    recognise/dictionary.py  the loosest level of the dictionary recogniser

Encoders, dense indexes and trained recognisers do not use it. On the training sets it helps exact look-up and harms the
other retrievers (docs/linking.md).
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
"""Word → the word that replaces it; both as `simplify` gives them."""

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
    # Neurotoxicity is a separate name (neurotoxicity syndromes).
    if not (root == "neuro" and kind == "toxicity")
}
"""Learned compound → plain words: nephropathy → kidney disease."""

DROPPED = frozenset(
    {"sporadic", "isolated", "classic", "classical", "typical", "severe", "mild", "moderate", "human"}
)
"""Words that describe cases, not the disease."""

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
"""Words that only say that something is wrong with an organ, or inherited → the word that replaces them at the last level."""
