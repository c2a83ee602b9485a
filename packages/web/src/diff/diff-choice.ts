import { useSyncExternalStore } from "react";
import { pageStorage } from "../api/page-storage.ts";

/** How diffs are shown: in one column, or old and new side by side. */
export type DiffForm = "unified" | "split";

const KEY = "holdfast.diff";
const listeners = new Set<() => void>();

/** The form that was chosen last in this browser. */
export function useDiffForm(): DiffForm {
  return useSyncExternalStore(subscribe, read);
}

export function chooseDiffForm(form: DiffForm): void {
  pageStorage.set(KEY, form === "unified" ? null : form);
  for (const listener of listeners) listener();
}

function read(): DiffForm {
  return pageStorage.get(KEY) === "split" ? "split" : "unified";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
