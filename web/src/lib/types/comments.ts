/** Comments on documents and mentions. */

/** no: a remark. */
export type Discuss = "no" | "open" | "settled";

export interface Comment {
  id: number;
  author: string;
  text: string;
  created: string;
  changed: string | null;
}

/** A comment with its answers. start, end: what it is about, null for the whole document; about: the text there. */
export interface Thread {
  id: number;
  document: number;
  name: string;
  start: number | null;
  end: number | null;
  about: string;
  discuss: Discuss;
  comments: Comment[];
}

/** open: number of threads to be discussed, whatever was asked for. */
export interface CommentList {
  total: number;
  offset: number;
  open: number;
  threads: Thread[];
}
