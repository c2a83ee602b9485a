import type { OpenSuspension } from "@holdfast/protocol";
import {
  createContext,
  useCallback,
  useContext,
  useSyncExternalStore,
  type ReactNode,
} from "react";

/** The context of tool views. */
export interface ToolSurroundings {
  /** Whether the user opened or closed it; undefined for neither. */
  isOpen(key: string): boolean | undefined;
  setOpen(key: string, open: boolean): void;
  subscribeOpen(listener: () => void): () => void;
  /** The open suspension of a tool call. */
  waiting(callId: string | null): OpenSuspension | null;
  /** Renders its answer. */
  renderWaiting(suspension: OpenSuspension): ReactNode;
  /** Paths are shown relative to this folder. */
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

/** Whether something is unfolded: the user's choice, or the default. */
export function useFold(key: string, isOpenByDefault: boolean): readonly [boolean, () => void] {
  const { isOpen, setOpen, subscribeOpen } = useContext(ToolContext);
  const chosen = useSyncExternalStore(subscribeOpen, () => isOpen(key));
  const open = chosen ?? isOpenByDefault;
  const toggle = useCallback(() => setOpen(key, !open), [setOpen, key, open]);
  return [open, toggle];
}
