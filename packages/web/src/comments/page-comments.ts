import { useSyncExternalStore } from "react";
import { pageStorage } from "../api/page-storage.ts";
import { createLineComments, type LineComment } from "./line-comments.ts";

let count = 0;

export const lineComments = createLineComments(
  pageStorage,
  () => `${Date.now().toString(36)}-${(count += 1)}`,
);

/** The comments of a session that were not given to the agent yet. */
export function useComments(sessionId: string): readonly LineComment[] {
  return useSyncExternalStore(lineComments.subscribe, () => lineComments.of(sessionId));
}
