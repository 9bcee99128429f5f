/** Where an axis that counts from 0 is labelled: at 0, at the whole number nearest to the middle, and at the end; each once. */
export const ticks = (most: number): number[] => [...new Set([0, Math.round(most / 2), most])];
