import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { announce } from "../app/announce.tsx";
import { changesKey } from "../changes/changes-queries.ts";
import {
  committedText,
  mergedText,
  pushedText,
  rebasedText,
  type KeepAction,
} from "./keep-texts.ts";
import { refusalOf, type Refusal } from "./refusal.ts";

/** How the last action ended; null before the first. */
export type KeepResult =
  | { readonly ended: "done"; readonly text: string }
  | { readonly ended: "refused"; readonly refusal: Refusal };

/** Messages that were edited and not committed yet, by session. They outlive the panel. */
const edited = new Map<string, string>();

/** The actions on the work of a session, one at a time. */
export function useKeep(sessionId: string) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState<KeepAction | null>(null);
  const [result, setResult] = useState<KeepResult | null>(null);
  const [message, setMessage] = useState(() => edited.get(sessionId) ?? null);
  const editMessage = (text: string | null): void => {
    if (text === null) edited.delete(sessionId);
    else edited.set(sessionId, text);
    setMessage(text);
  };
  /** Resolves to what was done; null if it was refused. */
  const act = async (action: KeepAction, work: () => Promise<string>): Promise<string | null> => {
    setBusy(action);
    setResult(null);
    try {
      const text = await work();
      announce(text);
      setResult({ ended: "done", text });
      return text;
    } catch (error) {
      setResult({ ended: "refused", refusal: refusalOf(error) });
      return null;
    } finally {
      await queries.invalidateQueries({ queryKey: changesKey(sessionId) });
      setBusy(null);
    }
  };
  const { sessions } = client;
  return {
    busy,
    result,
    /** The edited message of the next commit; null for the suggested one. */
    message,
    editMessage,
    commit: async (text: string): Promise<string | null> => {
      const done = await act("commit", async () =>
        committedText(await sessions.commit(sessionId, { message: text })),
      );
      if (done !== null) editMessage(null);
      return done;
    },
    rebase: () => act("rebase", async () => rebasedText(await sessions.rebase(sessionId))),
    /** Into the branch that the question named. */
    merge: (into: string) =>
      act("merge", async () => mergedText(await sessions.merge(sessionId, { into }))),
    push: () => act("push", async () => pushedText(await sessions.push(sessionId))),
    openPullRequest: () =>
      act("pull-request", async () => {
        await sessions.pullRequest(sessionId);
        return "The pull request is open.";
      }),
  };
}

export type Keep = ReturnType<typeof useKeep>;
