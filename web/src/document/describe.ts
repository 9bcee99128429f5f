/** An annotation in words, for people who hear the page. */

import { sure } from "../lib/certainty";
import type { Annotation } from "../lib/types";

export const LAYERS = { gold: "came with the upload", user: "made or confirmed by a person", pred: "predicted" } as const;

export function describe(annotation: Annotation): string {
  const { text, type, layer } = annotation;
  return [text, type || "no type", linkOf(annotation), LAYERS[layer], surenessOf(annotation)].filter(Boolean).join(", ");
}

/** How sure the model is of a prediction; "" for what no model made, and where it is not known. */
export const surenessOf = ({ layer, probability }: Annotation): string => (layer === "pred" ? sure(probability) : "");

/** What an annotation is linked to. */
export function linkOf(annotation: Annotation): string {
  if (annotation.nil) return "NIL: no concept of the terminology";
  if (annotation.concepts.length === 0) return "not linked";
  const names = annotation.concepts.map((id, index) => annotation.names[index] || id);
  return names.join(annotation.composite ? " + " : " / ");
}
