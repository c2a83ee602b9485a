/** A token of a line; its kind is the CSS class. */
export type CodeToken = readonly [text: string, kind: string];
export type CodeLine = readonly CodeToken[];

/** Sends the next lines of a code block to the worker, or releases the block. */
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
