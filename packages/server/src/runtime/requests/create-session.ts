import type { Create } from "../../domain/kernel/command.ts";
import { withSettings } from "../../domain/settings/agent-settings.ts";
import { defined } from "../../domain/defined.ts";
import { presentConnections } from "../../domain/mcp-server.ts";
import { openSuspensionsOf, stateOf, statusOf } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";
import type { Decided } from "../execute-command.ts";
import { keyOf, once, remembering, type RequestKey } from "./idempotency.ts";
import { refuseSettings } from "../settings/session-options.ts";
import { refuseProvider } from "./refuse-provider.ts";
import { toRefused } from "../command-reply.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import type { CreateSession, Sent } from "./request-types.ts";
import type { SessionSnapshot } from "../session-snapshot.ts";
import { firstMessage, sentIn } from "./send-message.ts";
import { checkConnections } from "./session-connections.ts";
import { refuseMetadata } from "./session-metadata.ts";

export interface Created {
  readonly session: SessionSnapshot;
  readonly sent: Sent | null;
}

/** Creates an idle session and its first message in one transaction. */
export async function createSession(
  context: RuntimeContext,
  request: CreateSession,
): Promise<Reply<Created>> {
  const key = keyOf("create", request);
  return once(context, key, {
    execute: () => storeSession(context, request, key),
    toAnswer: (created: Created) => created,
  });
}

async function storeSession(
  context: RuntimeContext,
  request: CreateSession,
  key: RequestKey | null,
): Promise<Reply<Created>> {
  const refused = await refuseCreation(context, request);
  if (refused !== null) return refused;
  const connections = await checkConnections(context, request);
  if (!connections.ok) return connections;
  const id = context.newId();
  const { message: content, idempotency: _, settings, mcpServers, ...given } = request;
  const { directories: _names, workspace, ...fields } = given;
  const create: Create = {
    type: "create",
    at: context.clock(),
    id,
    ...fields,
    ...presentConnections(defined({ mcpServers, directories: connections.directories })),
    forkedFrom: null,
    ...defined({ workspace: await context.folders.workspaceFor(request.repoId, workspace) }),
    ...(settings !== undefined && {
      settings: withSettings([], { provider: providerOf(context, request), ...settings }),
    }),
  };
  const send = content === null ? null : firstMessage(context, id, request);
  // The last one counts: a conflict makes the command be decided again.
  const decisions: Created[] = [];
  try {
    const executed = await context.execute({
      sessionId: id,
      isNew: true,
      command: send === null ? create : [create, send],
      extras: (decided) => {
        const isSent = send !== null && content !== null;
        const sent = isSent ? sentIn(decided, send, content) : null;
        const created = { session: newSnapshot(decided), sent };
        decisions.push(created);
        return {
          ...(isSent && { contents: { [send.messageId]: content } }),
          ...remembering(key, created),
        };
      },
    });
    if (executed.ok) {
      const created = decisions.at(-1);
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
  request: CreateSession,
): Promise<Refused | null> {
  const { repoId, provider, message, metadata, settings } = request;
  const invalid = refuseMetadata(metadata);
  if (invalid !== null) return invalid;
  if (provider !== null || message !== null) {
    const name = provider ?? context.defaultProvider();
    const refused = await refuseProvider(context, name, "request");
    if (refused !== null) return refused;
  }
  if (settings !== undefined) {
    const of = { provider: providerOf(context, request), model: request.model };
    const owner = { id: null, ...of, lastRun: null, settings: [] };
    const refused = await refuseSettings(context, owner, { ...of, ...settings });
    if (refused !== null) return refused;
  }
  if (repoId === null) return null;
  const { slots, cluster } = context;
  const unusable = await context.refuseRepository(repoId);
  if (unusable?.refusal.code === "repository_not_found") return unusable;
  if (unusable !== null && !cluster.isElsewhere(repoId)) return unusable;
  // Without a message no agent is needed yet.
  if (message === null || !slots.isFull || cluster.bestFor(repoId) !== null) return null;
  const { limit } = slots;
  context.log.warn({ limit }, "a session was refused: all agents are busy");
  return refuse(
    "agents_busy",
    `All ${limit} agents are busy. Try again later, or raise AGENT_MAX_SESSIONS.`,
  );
}

/** The provider of the first message. */
function providerOf({ defaultProvider }: RuntimeContext, { provider }: CreateSession): string {
  return provider ?? defaultProvider();
}

/** The session after its first transaction, so that a repeated request gets the same reply. */
function newSnapshot({ session }: Decided): SessionSnapshot {
  if (session === null) throw new Error("unreachable: a created session is deleted");
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
