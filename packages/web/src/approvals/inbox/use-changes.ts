import type { OpenSuspension } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import type { FileChange } from "../change-view.tsx";
import { changesOf } from "../changes-of.ts";
import { callOf } from "../session/call-of.ts";

export type Changes =
  | { readonly are: "known"; readonly changes: readonly FileChange[] }
  | { readonly are: "loading" }
  | { readonly are: "unknown" };

/** An agent reports the tool call shortly before it asks for permission. */
const BEFORE_MS = 10 * 60_000;
const NONE: Changes = { are: "known", changes: [] };

/** The changes of a request, read from the session's messages. */
export function useChanges(sessionId: string, suspension: OpenSuspension): Changes {
  const toolCallId = callOf(suspension);
  const { data, isError } = useQuery({
    queryKey: ["changes", suspension.id],
    enabled: toolCallId !== null,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const since = new Date(Date.parse(suspension.createdAt) - BEFORE_MS).toISOString();
      const { messages } = await client.sessions.messages(sessionId, { since }, { signal });
      const isThere = messages.some(({ content }) => content["callId"] === toolCallId);
      return isThere ? changesOf(messages, toolCallId) : null;
    },
  });
  if (toolCallId === null) return NONE;
  if (isError || data === null) return { are: "unknown" };
  return data === undefined ? { are: "loading" } : { are: "known", changes: data };
}
