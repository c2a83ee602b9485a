import { createContext, useCallback, useContext, useSyncExternalStore } from "react";
import type { TranscriptStore } from "../transcript/transcript-store.ts";

/** The context of tool views. */
export interface ToolSurroundings extends Pick<
  TranscriptStore,
  "isOpen" | "setOpen" | "subscribeOpen" | "waiting" | "decision"
> {
  /** Paths are shown relative to this folder. */
  readonly root: string | null;
}

export const ToolContext = createContext<ToolSurroundings | null>(null);

export function useToolSurroundings(): ToolSurroundings {
  const surroundings = useContext(ToolContext);
  if (surroundings === null) throw new Error("unreachable: a tool outside of a transcript");
  return surroundings;
}

/** Whether something is unfolded: the user's choice, or the default. */
export function useFold(key: string, isOpenByDefault: boolean): readonly [boolean, () => void] {
  const { isOpen, setOpen, subscribeOpen } = useToolSurroundings();
  const chosen = useSyncExternalStore(subscribeOpen, () => isOpen(key));
  const open = chosen ?? isOpenByDefault;
  const toggle = useCallback(() => setOpen(key, !open), [setOpen, key, open]);
  return [open, toggle];
}
