/** Matches labels with semantic types: "Disease" names all disease types, whatever the terminology calls them. */

/** Words of each group. A type or label with one of them belongs to the group. The groups are the UMLS semantic groups
 * (McCray et al. 2001), which cover the types of UMLS and MeSH. */
const GROUPS: readonly (readonly RegExp[])[] = [
  [
    /\b(disease|disorder|illness|syndrome|neoplas|tumou?r|cancer|pathologic|mental or behavioral dysfunction|injury|congenital abnormalit|acquired abnormalit|anatomical abnormalit|experimental model of disease|cell or molecular dysfunction)/i,
  ],
  [
    /\b(chemical|drug|medication|pharmacologic|antibiotic|clinical drug|substance|steroid|vitamin|hormone|enzyme|element, ion|biomedical or dental material)/i,
  ],
  [/\b(genes?|gene or genome|genome)\b/i],
  [/\b(protein|amino acid, peptide)/i],
  [
    /\b(anatomy|anatomical structure|body part|body location|body system|body space|body substance|tissue|organ|cell|cell component|embryonic structure)\b/i,
  ],
  [/\b(organism|species|animal|bacteri|virus|fungus|plant|eukaryote|mammal|bird|fish|reptile|amphibian|archaeon)/i],
  [/\b(symptom|sign or symptom|signs|finding)/i],
  [/\b(procedure|therap|treatment|surgery|diagnostic)/i],
  [/\bphenotyp/i],
];

const folded = (text: string): string => text.trim().toLowerCase().replace(/s$/, "");

/** The labels of a comma-separated list. */
export const labelsIn = (text: string): string[] =>
  text
    .split(",")
    .map((label) => label.trim())
    .filter(Boolean);

/** The types that labels name, in the order of the terminology; [], which means all types, if they name none. */
export function typesNamed(labels: readonly string[], types: readonly string[]): string[] {
  const wanted = labels.map(folded).filter(Boolean);
  return types.filter((type) => wanted.some((label) => names(label, type)));
}

function names(label: string, type: string): boolean {
  if (folded(type) === label) return true;
  const groups = GROUPS.filter((words) => words.some((word) => word.test(label)));
  return groups.length > 0
    ? groups.some((words) => words.some((word) => word.test(type)))
    : folded(type).split(/\W+/).map(folded).includes(label);
}
