import type { Create, Send } from "../../domain/kernel/command.ts";
import { openSuspensionsOf, stateOf, statusOf } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";
import type { Decided } from "../execute-command.ts";
import { fromRemembered, keyOf, recalled, toRemembered } from "./idempotency.ts";
import { refuseProvider } from "./refuse-provider.ts";
import { toRefused } from "../command-reply.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import type { CreateSession, Sent } from "../runtime.ts";
import type { SessionSnapshot } from "../session-snapshot.ts";
import { refuseMetadata } from "./session-metadata.ts";
import { extrasOf, firstMessage, sentIn } from "./send-message.ts";

export interface Created {
  readonly session: SessionSnapshot;
  readonly sent: Sent | null;
}

/** An idle session; with a first message, both are stored together or not at all. */
export async function createSession(
  context: RuntimeContext,
  request: CreateSession,
): Promise<Reply<Created>> {
  const key = keyOf("create", request);
  const before = await recalled(context, { key, request });
  if (before !== null)
    return before.ok ? { ok: true, ...fromRemembered<Created>(before.response) } : before;
  const refused = await refuseCreation(context, request);
  if (refused !== null) return refused;

  const id = context.newId();
  const create: Create = {
    type: "create",
    at: context.clock(),
    id,
    agentId: request.agentId,
    repoId: request.repoId,
    title: request.title,
    provider: request.provider,
    model: request.model,
    agentName: request.agentName,
    purpose: request.purpose,
    metadata: request.metadata,
    forkedFrom: null,
  };
  const content = request.message;
  const send: Send | null =
    content === null ? null : firstMessage(context, { request, sessionId: id });
  const made: Created[] = [];
  try {
    const executed = await context.execute({
      sessionId: id,
      command: send === null ? create : [create, send],
      extras: (decided) => {
        const isSent = send !== null && content !== null;
        const sent = isSent ? sentIn(decided, { command: send, content }) : null;
        const created = { session: newSnapshot(decided), sent };
        made.push(created);
        return extrasOf({ command: send, content, key, request, response: toRemembered(created) });
      },
    });
    if (executed.ok) {
      const created = made.at(-1);
      if (created === undefined)
        throw new Error("unreachable: a session of a new id existed already");
      return { ok: true, ...created };
    }
    if ("refused" in executed && executed.refused === "remembered") {
      return await createSession(context, request);
    }
    return toRefused(executed);
  } finally {
    if (send !== null) context.nudge(id);
  }
}

async function refuseCreation(
  context: RuntimeContext,
  { repoId, provider, message, metadata }: CreateSession,
): Promise<Refused | null> {
  const unfit = refuseMetadata(metadata);
  if (unfit !== null) return unfit;
  if (provider !== null || message !== null) {
    const name = provider ?? context.defaultProvider;
    const refused = await refuseProvider(context, { name, chosenBy: "request" });
    if (refused !== null) return refused;
  }
  if (repoId === null) return null;
  const { places, cluster } = context;
  const opened = await context.openWorkspace(repoId);
  if (opened.ok) await opened.workspace.close();
  else if (opened.refusal.code === "repository_not_found" || !cluster.isElsewhere(repoId))
    return opened;
  if (!places.isFull || cluster.bestFor(repoId) !== null) return null;
  context.log.warn({ limit: context.places.limit }, "a session was refused: all agents are busy");
  return refuse(
    "agents_busy",
    `All ${context.places.limit} agents that may run at once are at work. Try again when one has ended, or raise AGENT_MAX_SESSIONS.`,
  );
}

/** The session as its first transaction leaves it, so that a repeated request gets the same answer. */
function newSnapshot({ session }: Decided): SessionSnapshot {
  if (session === null) throw new Error("unreachable: created and gone");
  const { standing: _, queue, ...rest } = session;
  return {
    ...rest,
    status: statusOf(session),
    state: stateOf(session),
    suspensions: openSuspensionsOf(session),
    queued: queue.length,
    failure: null,
    suspendedAt: null,
    suspendedReason: null,
    archivedAt: null,
    failedAt: null,
    removeAt: null,
    version: 1,
    lastSeq: 0,
  };
}
