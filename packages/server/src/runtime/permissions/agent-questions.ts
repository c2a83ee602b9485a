import { currentRunOf, openSuspensionsOf, type Session } from "../../domain/session.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { toRefused } from "../command-reply.ts";
import { noSuchSession, refuse, type Reply } from "../reply.ts";
import type { AskFromAgent } from "../runtime.ts";
import type { RuntimeContext } from "../context.ts";

/** The maximum number of open questions of a run. */
const MAX_OPEN = 20;

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
  let open: readonly Suspension[] = [];
  const executed = await context.execute({
    sessionId,
    command: (session) => {
      open = session === null ? [] : openSuspensionsOf(session);
      if (sameAs(question, open) !== null || open.length >= MAX_OPEN) return [];
      return { type: "suspend-run", at, runId: runIdOf(session), suspension: question };
    },
  });
  if (!executed.ok) return toRefused(executed);
  if (executed.session === null) return noSuchSession();
  const suspension = sameAs(question, openSuspensionsOf(executed.session));
  if (suspension === null) {
    return refuse("suspensions_full", `The run waits for ${open.length} answers already.`);
  }
  context.nudge(sessionId);
  return { ok: true, suspension };
}

function sameAs({ kind, request }: Suspension, open: readonly Suspension[]): Suspension | null {
  const same = open.find(
    (each) => each.kind === kind && each.request["title"] === request["title"],
  );
  return same ?? null;
}

/** Empty without a run: the kernel refuses it like a run that has ended. */
function runIdOf(session: Session | null): string {
  return (session === null ? null : currentRunOf(session)?.id) ?? "";
}
