import type { Suspension } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { approvalOf } from "./approval.ts";
import type { FileChange } from "./change-view.tsx";
import { changesOf } from "./changes-of.ts";

export type Changes =
  | { readonly are: "known"; readonly changes: readonly FileChange[] }
  | { readonly are: "being read" }
  | { readonly are: "unknown" };

/** An agent shows the use of a tool just before it asks for permission. */
const BEFORE_MS = 10 * 60_000;

/** What would be changed, for those who do not have the session's messages at hand. */
export function useChanges(suspension: Suspension): Changes {
  const approval = approvalOf(suspension);
  const toolCallId = approval.ask === "choice" ? approval.toolCallId : null;
  const { data, isError } = useQuery({
    queryKey: ["changes", suspension.id],
    enabled: toolCallId !== null,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const since = new Date(Date.parse(suspension.createdAt) - BEFORE_MS).toISOString();
      const { messages } = await client.sessions.messages(
        suspension.sessionId,
        { since },
        { signal },
      );
      const isThere = messages.some(({ content }) => content["callId"] === toolCallId);
      return isThere ? changesOf(messages, toolCallId) : null;
    },
  });
  if (toolCallId === null) return { are: "known", changes: [] };
  if (isError || data === null) return { are: "unknown" };
  return data === undefined ? { are: "being read" } : { are: "known", changes: data };
}
