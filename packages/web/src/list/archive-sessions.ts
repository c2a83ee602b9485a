import type { Session } from "@holdfast/protocol";
import { client } from "../api/client.ts";
import { announce } from "../app/announce.tsx";
import { showFailure, showToast } from "../ui/toast.ts";
import { createArchiver } from "./archiver.ts";

const UNDO_MS = 6_000;

export const archiver = createArchiver({
  send: (id) => client.sessions.archive(id),
  onFailure: (_id, error) => showFailure("Not archived", error),
  later: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  undoMs: UNDO_MS,
});

// After leaving the page nothing can be undone.
addEventListener("pagehide", archiver.flush);

/** Whether it can be archived without confirmation, because nothing is running or queued. */
export function isQuiet(session: Pick<Session, "status" | "state" | "queued">): boolean {
  return canArchive(session) && session.state === "idle" && session.queued === 0;
}

export function canArchive({ status }: Pick<Session, "status">): boolean {
  return status === "active" || status === "suspended";
}

export function archiveSessions(ids: readonly string[]): void {
  if (ids.length === 0) return;
  const undo = archiver.archive(ids);
  const text = ids.length === 1 ? "Session archived" : `${ids.length} sessions archived`;
  announce(text);
  void showToast({ text, durationMs: UNDO_MS, action: { label: "Undo", onPress: undo } });
}
