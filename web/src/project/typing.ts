/** Which semantic types of a terminology a label names: "Disease" those of diseases, whatever the terminology calls them. */

/** Words by group; a type or label belongs to a group where it has one of its words. The types of UMLS and of MeSH fall into the
 * groups of UMLS ("Semantic Groups", McCray et al. 2001). */
const GROUPS: readonly (readonly RegExp[])[] = [
  [/\b(disease|disorder|illness|syndrome|neoplas|tumou?r|cancer|pathologic|mental or behavioral dysfunction|injury|congenital abnormalit|acquired abnormalit|anatomical abnormalit|experimental model of disease|cell or molecular dysfunction)/i],
  [/\b(chemical|drug|medication|pharmacologic|antibiotic|clinical drug|substance|steroid|vitamin|hormone|enzyme|element, ion|biomedical or dental material)/i],
  [/\b(genes?|gene or genome|genome)\b/i],
  [/\b(protein|amino acid, peptide)/i],
  [/\b(anatomy|anatomical structure|body part|body location|body system|body space|body substance|tissue|organ|cell|cell component|embryonic structure)\b/i],
  [/\b(organism|species|animal|bacteri|virus|fungus|plant|eukaryote|mammal|bird|fish|reptile|amphibian|archaeon)/i],
  [/\b(symptom|sign or symptom|signs|finding)/i],
  [/\b(procedure|therap|treatment|surgery|diagnostic)/i],
  [/\bphenotyp/i],
];

const folded = (text: string): string => text.trim().toLowerCase().replace(/s$/, "");

/** The types that labels name, in the order of the terminology; [] where they name none, so that all are linked to. */
export function typesNamed(labels: readonly string[], types: readonly string[]): string[] {
  const wanted = labels.map(folded).filter(Boolean);
  return types.filter((type) => wanted.some((label) => names(label, type)));
}

function names(label: string, type: string): boolean {
  if (folded(type) === label) return true;
  const groups = GROUPS.filter((words) => words.some((word) => word.test(label)));
  return groups.length > 0 ? groups.some((words) => words.some((word) => word.test(type))) : folded(type).split(/\W+/).map(folded).includes(label);
}
