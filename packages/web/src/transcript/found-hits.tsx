import type { RefObject } from "react";
import type { Find } from "./find.ts";
import type { TranscriptStore } from "./transcript-store.ts";
import { useFindHighlights } from "./use-find-highlights.ts";
import { useFoundRow } from "./use-found-row.ts";

/** Marks what is found, and goes to what is looked at; draws nothing itself. */
export function FoundHits(props: {
  readonly store: TranscriptStore;
  readonly find: Find;
  readonly list: RefObject<HTMLElement | null>;
  readonly goTo: (index: number, align: "center") => void;
}): null {
  useFindHighlights(props.list, props.find);
  useFoundRow(props);
  return null;
}
