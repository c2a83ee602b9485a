import { currentRunOf, openSuspensionsOf, type Session } from "../../domain/session.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { toRefused } from "../command-reply.ts";
import { noSuchSession, refuse, type Reply } from "../reply.ts";
import type { AskFromAgent } from "../runtime.ts";
import type { RuntimeContext } from "../context.ts";

/** What one run may wait for at a time. */
const MAX_OPEN = 20;

/**
 * Stores what an agent asks by one of its tools. The agent is told to end its prompt; the run stays
 * suspended, with or without it, and the answer begins the next prompt.
 */
export async function askFromAgent(
  context: RuntimeContext,
  { sessionId, kind, request, expiresInMs }: AskFromAgent,
): Promise<Reply<{ readonly suspension: Suspension }>> {
  const at = context.clock();
  const asked = {
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
      if (sameAs(asked, open) !== null || open.length >= MAX_OPEN) return [];
      return { type: "suspend-run", at, runId: runIdOf(session), suspension: asked };
    },
  });
  if (!executed.ok) return toRefused(executed);
  if (executed.session === null) return noSuchSession();
  const suspension = sameAs(asked, openSuspensionsOf(executed.session));
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

/** None is refused by the kernel, like one that has ended. */
function runIdOf(session: Session | null): string {
  return (session === null ? null : currentRunOf(session)?.id) ?? "";
}
