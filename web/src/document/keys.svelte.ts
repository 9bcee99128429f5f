/** Keys of the document page, and whether those of one letter are on (speech input may want them off). */

const KEPT = "linnet-single-keys";

class Keys {
  on = $state(localStorage.getItem(KEPT) !== "off");

  set(on: boolean): void {
    this.on = on;
    if (on) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, "off");
  }
}

export const keys = new Keys();

/** Shown by `?`, in the order of a day's work. */
export const SHOWN: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Reading",
    [
      ["J K", "next, previous annotation"],
      ["← → ↑ ↓", "step through the words of the text"],
      ["T", "go to the text"],
      ["N P", "next, previous document of the queue"],
    ],
  ],
  [
    "Annotating",
    [
      ["Shift ← →", "select words"],
      ["Alt Shift ← →", "move the end of the selection by a character"],
      ["any letter", "after text was selected: search for it in the helper"],
      ["Enter or /", "open the annotation helper: search, then Enter links"],
      ["1 … 9", "link to one of the first nine concepts of the helper"],
      ["Shift Enter", "in the helper: add the concept to those that are there"],
      ["0", "NIL: the terminology has no such concept"],
      ["-", "annotate without linking"],
      ["C", "confirm a prediction"],
      ["M", "several concepts: parts of a composite, or one together"],
      ["Y  =", "next type; = where text is selected"],
      ["S", "apply to all same mentions of the document"],
      ["E", "another span: select it in the text, then Enter"],
      [", .", "move the end of an annotation by a character to the left, right"],
      ["< >", "move its beginning"],
      ["Delete", "remove an annotation"],
      ["U  Ctrl Z", "undo; takes back an accept or skip, too"],
      ["R  Ctrl Y", "redo"],
    ],
  ],
  [
    "Document",
    [
      ["A", "accept it: complete and checked, and on to the next"],
      ["X", "skip it, and on to the next"],
      ["O", "open it again"],
      ["Esc", "leave the helper, drop the selection"],
      ["?", "these keys"],
    ],
  ],
];
