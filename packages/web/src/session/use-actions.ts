import type { AgentSessionEnd, Session } from "@holdfast/protocol";
import { useCallback, useMemo, useState } from "react";
import { client } from "../api/client.ts";
import { saveBundle } from "../app/save-bundle.ts";
import { sessionName } from "../api/session-name.ts";
import { announce } from "../app/announce.tsx";
import { goTo } from "../app/router.ts";
import { NO_DRAFT } from "../composer/drafts.ts";
import { drafts } from "../composer/page-outbox.ts";
import { showFailure, showToast } from "../ui/toast.ts";
import { forkTitle } from "./fork-title.ts";
import type { Deletion } from "./delete-dialog.tsx";

type ActionName = "cancel" | "fork" | "archive" | "delete" | "export" | "resume" | "update";

/** The actions on a session. A failure is shown with the server's reason. */
export function useActions(session: Session, onSession: (session: Session) => void) {
  const { id } = session;
  const name = sessionName(session);
  /** The running action. */
  const [busy, setBusy] = useState<ActionName | null>(null);
  const act = useCallback(
    (action: ActionName, failed: string, work: () => Promise<Session | undefined>): void => {
      setBusy(action);
      work()
        .then((next) => (next === undefined ? undefined : onSession(next)))
        .catch((error: unknown) => showFailure(failed, error))
        .finally(() => setBusy(null));
    },
    [onSession],
  );
  return useMemo(
    () => ({
      busy,
      cancel: () =>
        act("cancel", "Not stopped", async () => {
          const next = await client.sessions.cancel(id);
          announce("Stopped");
          return next;
        }),
      fork: () =>
        act("fork", "Not forked", async () => {
          const fork = await client.sessions.fork(id, {});
          // A fork without a title of its own is still a fork.
          await client.sessions.update(fork.id, { title: forkTitle(name) }).catch(() => {});
          goTo({ page: "session", id: fork.id });
          void showToast({ text: `Forked from ${name}` });
        }),
      /** Also stops a running run. */
      archive: () => act("archive", "Not archived", () => client.sessions.archive(id)),
      remove: ({ agentSessions, worktree }: Deletion) =>
        act("delete", "Not deleted", async () => {
          const deleted = await client.sessions.delete(id, {
            ...(agentSessions && { agentSessions: "delete" }),
            ...(worktree && { worktree: "remove" }),
          });
          drafts.write(id, NO_DRAFT);
          goTo({ page: "list" }, { replace: true });
          const { worktreeEnd } = deleted;
          const text = `${name} was deleted${left(deleted.agentSessions ?? [])}`;
          if (worktreeEnd === undefined) return void showToast({ text });
          const { worktreeEndText } = await import("../worktree/worktree-texts.ts");
          const end = worktreeEndText(worktreeEnd);
          return void showToast({ text: `${text}. ${end}`, durationMs: 12_000 });
        }),
      exportBundle: () =>
        act("export", "Not exported", async () => {
          await saveBundle(id);
        }),
      resume: () => act("resume", "Not resumed", () => client.sessions.resume(id)),
      rename: (title: string | null) =>
        act("update", "The title was not changed", () => client.sessions.update(id, { title })),
      /** Accepts messages again. */
      acceptMessages: () =>
        act("update", "Not changed", () => client.sessions.update(id, { delivery: "open" })),
    }),
    [act, busy, id, name],
  );
}

/** Names the agents that still have their session. */
function left(ends: readonly AgentSessionEnd[]): string {
  const names = ends.filter(({ outcome }) => outcome !== "deleted").map(({ provider }) => provider);
  return names.length === 0 ? "" : `, but not what ${names.join(" and ")} kept of it`;
}

export type SessionActions = ReturnType<typeof useActions>;
