/** Attributes of mentions that a project defines. */

/** values: [] for a flag. key: pressed with Shift; "" for none. guess: the assertion rules switch it on. */
export interface Attribute {
  name: string;
  values: string[];
  key: string;
  guess: boolean;
}

/** Name → true for a flag, else its value. */
export type AttributeValues = Record<string, true | string>;

/** How many annotations have an attribute; value: "" for a flag. */
export interface AttributeUse {
  name: string;
  value: string;
  annotations: number;
  predicted: number;
}
