/** Keys of the document page, whether single-letter keys are enabled (speech input needs them off), and whether confirming and linking
 * go to the next annotation. */

const KEPT = "linnet-single-keys";
const ONWARD = "linnet-move-on";

class Keys {
  on = $state(localStorage.getItem(KEPT) !== "off");

  onward = $state(localStorage.getItem(ONWARD) === "on");

  moveOn(onward: boolean): void {
    this.onward = onward;
    if (onward) localStorage.setItem(ONWARD, "on");
    else localStorage.removeItem(ONWARD);
  }

  set(on: boolean): void {
    this.on = on;
    if (on) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, "off");
  }
}

export const keys = new Keys();

/** The list shown by `?`. */
export const SHOWN: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Reading",
    [
      ["J K", "next, previous annotation"],
      ["D", "next doubtful prediction: less than 90 % sure"],
      ["← → ↑ ↓", "move from word to word"],
      ["T", "move to the text"],
      ["N P", "next, previous document in the queue"],
    ],
  ],
  [
    "Annotating",
    [
      ["Alt", "held while selecting with the mouse: exactly these characters"],
      ["Shift ← →", "select words"],
      ["Alt Shift ← →", "move the end of the selection by a character"],
      ["any letter", "after selecting text: search in the helper"],
      ["Enter or /", "search in the annotation helper; Enter links"],
      ["1 … 9", "link to one of the first nine concepts of the helper"],
      ["Shift Enter", "in the helper: add another concept"],
      ["0", "NIL: the terminology has no concept for it"],
      ["-", "annotate without a concept"],
      ["C", "confirm a prediction"],
      ["M", "several concepts: composite or not"],
      ["Y  =", "next type (= after selecting text)"],
      ["S", "apply to all same mentions in the document"],
      ["V", "confirm all same predictions in the document"],
      ["W", "remove all same mentions in the document"],
      ["I", "replace what lies inside, also inside the same text elsewhere"],
      ["E", "change the span: select the new one, then Enter"],
      [", .", "move the end of an annotation by a character"],
      ["< >", "move its start by a character"],
      ["Delete", "remove an annotation"],
      ["U  Ctrl Z", "undo, also an accept or skip"],
      ["R  Ctrl Y", "redo"],
    ],
  ],
  [
    "Document",
    [
      ["G", "guideline"],
      ["Q", "comment on the selection, or on the document"],
      ["A", "accept: complete and checked; open the next"],
      ["X", "skip; open the next"],
      ["O", "reopen"],
      ["Esc", "leave the helper, clear the selection"],
      ["?", "show these keys"],
    ],
  ],
];
