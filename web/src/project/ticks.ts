/** Labels of an axis that counts from 0: 0, the whole number nearest to the middle, and the end; each once. */
export const ticks = (most: number): number[] => [...new Set([0, Math.round(most / 2), most])];
