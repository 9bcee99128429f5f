/** How sure the model is of a prediction: its probability of being right, said the same way wherever it is shown. */

/** How the border of a prediction is drawn. unknown: the model has nothing to measure it with. */
export type Step = "sure" | "unsure" | "doubtful" | "unknown";

/** Probabilities from which a prediction counts as sure, and as unsure rather than doubtful. */
const SURE = 0.9;
const UNSURE = 0.5;

export function stepOf(probability: number | null): Step {
  if (probability === null) return "unknown";
  return probability >= SURE ? "sure" : probability >= UNSURE ? "unsure" : "doubtful";
}

/** A whole number of per cent; never 0 or 100, for nothing is impossible or certain. */
export function percentSure(probability: number): number {
  return Math.max(1, Math.min(99, Math.round(probability * 100)));
}

/** "13 % sure"; "" where it is not known. */
export const sure = (probability: number | null): string => (probability === null ? "" : `${percentSure(probability)} % sure`);
