/** Annotations in words, also for screen readers. */

import { stepOf, sure } from "../lib/certainty";
import type { Annotation } from "../lib/types";
import { inWords } from "./attributes";

export const LAYERS = {
  gold: "from the upload",
  user: "made or confirmed by a person",
  pred: "predicted",
  none: "no mention, a curator decided",
} as const;

export function describe(annotation: Annotation): string {
  const { text, type } = annotation;
  return [
    text,
    type || "no type",
    linkOf(annotation),
    inWords(annotation.attributes),
    originOf(annotation),
    surenessOf(annotation),
  ]
    .filter(Boolean)
    .join(", ");
}

/** Where it comes from, in words. */
export const originOf = ({ layer, unchanged }: Annotation): string =>
  unchanged ? "accepted unchanged with the document" : LAYERS[layer];

/** Whether no person has looked at it on its own: it can be confirmed. */
export const isUnchecked = ({ layer, unchanged }: Pick<Annotation, "layer" | "unchanged">): boolean =>
  layer === "pred" || unchanged;

/** How sure the model is of a prediction; "" for other annotations, and if unknown. */
export const surenessOf = (annotation: Annotation): string =>
  isUnchecked(annotation) ? sure(annotation.probability) : "";

/** Whether a prediction is less than 90 % sure, or has no probability. */
export const isDoubtful = ({ layer, probability }: Annotation): boolean =>
  layer === "pred" && stepOf(probability) !== "sure";

/** The concepts of an annotation. */
export function linkOf(
  annotation: Pick<Annotation, "concepts" | "names" | "nil" | "composite"> & { layer?: Annotation["layer"] },
): string {
  if (annotation.layer === "none") return "no mention";
  if (annotation.nil) return "NIL: no concept in the terminology";
  if (annotation.concepts.length === 0) return "not linked";
  const names = annotation.concepts.map((id, index) => annotation.names[index] || id);
  return names.join(annotation.composite ? " + " : " / ");
}
