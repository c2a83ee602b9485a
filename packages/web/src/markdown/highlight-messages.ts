/** A piece of a line, and what kind of thing it is; the kind names a class. */
export type CodeToken = readonly [text: string, kind: string];
export type CodeLine = readonly CodeToken[];

/** To the worker: the next lines of a piece of code, or that no more will come. */
export type HighlightRequest =
  | {
      readonly code: number;
      readonly grammar: string;
      readonly from: number;
      readonly lines: readonly string[];
    }
  | { readonly code: number; readonly forget: true };

export interface HighlightReply {
  readonly code: number;
  readonly from: number;
  readonly lines: readonly CodeLine[];
}
