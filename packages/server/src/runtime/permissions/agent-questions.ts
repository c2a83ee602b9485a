import { currentRunOf, openSuspensionsOf } from "../../domain/session.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { toRefused } from "../command-reply.ts";
import { noSuchSession, refuse, type Reply } from "../reply.ts";
import type { AskFromAgent } from "../requests/request-types.ts";
import type { RuntimeContext } from "../context.ts";

/** The maximum number of open questions of a run. */
export const MAX_OPEN = 20;

/**
 * Stores a question that an agent asks with one of its tools. The agent is told to end its prompt. The run stays
 * suspended, and the answer begins the next prompt.
 */
export async function askFromAgent(
  context: RuntimeContext,
  { sessionId, kind, request, expiresInMs }: AskFromAgent,
): Promise<Reply<{ readonly suspension: Suspension }>> {
  const at = context.clock();
  const question = {
    id: context.newId(),
    kind,
    request,
    fingerprint: null,
    createdAt: at,
    expiresAt: expiresInMs === null ? null : at + expiresInMs,
  };
  const isSame = (each: Suspension): boolean =>
    each.kind === kind && each.request["title"] === request.title;
  let open: readonly Suspension[] = [];
  const executed = await context.execute({
    sessionId,
    command: (session) => {
      open = session === null ? [] : openSuspensionsOf(session);
      if (open.some(isSame) || open.length >= MAX_OPEN) return [];
      // Empty without a run: the kernel refuses it like a run that has ended.
      const runId = (session === null ? null : currentRunOf(session)?.id) ?? "";
      return { type: "suspend-run", at, runId, suspension: question };
    },
  });
  if (!executed.ok) return toRefused(executed);
  if (executed.session === null) return noSuchSession();
  const suspension = openSuspensionsOf(executed.session).find(isSame);
  if (suspension === undefined)
    return refuse("suspensions_full", `The run waits for ${open.length} answers already.`);
  context.nudge(sessionId);
  return { ok: true, suspension };
}
