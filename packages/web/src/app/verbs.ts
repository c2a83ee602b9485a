import { useEffect, useId, useRef } from "react";
import { createStore, useStore } from "../api/store.ts";

/** Something that the page can do now, for the command palette. */
export interface Verb {
  readonly label: string;
  /** Its shortcut, as the help shows it. */
  readonly keys?: string | undefined;
  readonly onSelect: () => void;
}

export interface VerbGroup {
  readonly name: string;
  readonly verbs: readonly Verb[];
}

const groups = createStore<ReadonlyMap<string, VerbGroup>>(new Map());

/** Offers these verbs in the palette while the caller is mounted. */
export function useVerbs(name: string, verbs: readonly Verb[]): void {
  const id = useId();
  const latest = useRef(verbs);
  useEffect(() => {
    latest.current = verbs;
  });
  // The palette needs a new group only if a label changes; it calls the newest action.
  const labels = JSON.stringify(verbs.map(({ label, keys }) => ({ label, keys })));
  useEffect(() => {
    const shown: readonly Pick<Verb, "label" | "keys">[] = JSON.parse(labels);
    const group = {
      name,
      verbs: shown.map((verb, index) => ({
        ...verb,
        onSelect: () => latest.current[index]?.onSelect(),
      })),
    };
    groups.set(new Map([...groups.current(), [id, group]]));
    return () => groups.set(new Map([...groups.current()].filter(([key]) => key !== id)));
  }, [id, name, labels]);
}

export function useOfferedVerbs(): readonly VerbGroup[] {
  return [...useStore(groups).values()].filter(({ verbs }) => verbs.length > 0);
}
