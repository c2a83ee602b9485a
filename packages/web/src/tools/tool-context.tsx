import type { OpenSuspension } from "@holdfast/protocol";
import {
  createContext,
  useCallback,
  useContext,
  useSyncExternalStore,
  type ReactNode,
} from "react";

/** What views of tools need to know of where they are. */
export interface ToolSurroundings {
  /** What a person has opened or closed by hand; undefined when nobody has. */
  isOpen(key: string): boolean | undefined;
  setOpen(key: string, open: boolean): void;
  subscribeOpen(listener: () => void): () => void;
  /** What a use of a tool waits for. */
  waiting(callId: string | null): OpenSuspension | null;
  /** How that is answered. */
  renderWaiting(suspension: OpenSuspension): ReactNode;
  /** The folder that paths are shown from. */
  readonly root: string | null;
}

const ALONE: ToolSurroundings = {
  isOpen: () => undefined,
  setOpen: () => undefined,
  subscribeOpen: () => () => undefined,
  waiting: () => null,
  renderWaiting: () => null,
  root: null,
};

export const ToolContext = createContext<ToolSurroundings>(ALONE);

export function useToolSurroundings(): ToolSurroundings {
  return useContext(ToolContext);
}

/** Whether something is unfolded: as a person has chosen, and by default as it is told. */
export function useFold(key: string, isOpenByDefault: boolean): readonly [boolean, () => void] {
  const { isOpen, setOpen, subscribeOpen } = useContext(ToolContext);
  const chosen = useSyncExternalStore(subscribeOpen, () => isOpen(key));
  const open = chosen ?? isOpenByDefault;
  const toggle = useCallback(() => setOpen(key, !open), [setOpen, key, open]);
  return [open, toggle];
}
