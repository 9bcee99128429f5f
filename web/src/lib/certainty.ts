/** How sure the model is of a prediction: the probability that it is right. */

/** Style of a prediction's border. unknown: the model has no calibrator. */
type Step = "sure" | "unsure" | "doubtful" | "unknown";

/** Probabilities from which a prediction counts as sure, and as unsure rather than doubtful. */
const SURE = 0.9;
const UNSURE = 0.5;

export function stepOf(probability: number | null): Step {
  if (probability === null) return "unknown";
  return probability >= SURE ? "sure" : probability >= UNSURE ? "unsure" : "doubtful";
}

/** Whole per cent, from 1 to 99: nothing is impossible or certain. */
export function percentSure(probability: number): number {
  return Math.max(1, Math.min(99, Math.round(probability * 100)));
}

/** "13 % sure"; "" if unknown. */
export const sure = (probability: number | null): string =>
  probability === null ? "" : `${percentSure(probability)} % sure`;
