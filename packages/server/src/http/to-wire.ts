import type * as wire from "@holdfast/protocol";
import type { Message } from "../domain/message.ts";
import type { Suspension } from "../domain/suspension.ts";
import type {
  PermissionGrant,
  ProviderDescription,
  QueuedMessage,
  Repo,
  Run,
  Sent,
  SessionSnapshot,
  Stats,
  StoredSuspension,
  WholeSession,
} from "../runtime/runtime.ts";
import type { StatsGroup } from "../runtime/stats.ts";

export function toWireSession(session: SessionSnapshot): wire.Session {
  const suspensions = session.suspensions.map(toWireOpenSuspension);
  return {
    id: session.id,
    repoId: session.repoId,
    title: session.title,
    status: session.status,
    state: session.state,
    suspension: suspensions[0] ?? null,
    suspensions,
    phase: session.phase,
    phaseHistory: session.phaseHistory.map(({ from, to, at }) => ({ from, to, at: toTime(at) })),
    resumeReady: session.resumeReady,
    errorCount: session.errorCount,
    lastError: session.lastError?.text ?? null,
    failure: session.failure,
    agentName: session.agentName,
    purpose: session.purpose,
    metadata: session.metadata,
    provider: session.provider,
    model: session.model,
    supportsResume: session.supportsResume,
    delivery: session.delivery,
    queued: session.queued,
    forkedFrom: session.forkedFrom,
    version: session.version,
    createdAt: toTime(session.createdAt),
    updatedAt: toTime(session.updatedAt),
    lastActiveAt: toTime(session.lastActiveAt),
    archivedAt: toTimeOrNull(session.archivedAt),
    finalizedAt: toTimeOrNull(session.finalizedAt),
    summary: session.summary,
  };
}

export function toWireWholeSession(whole: WholeSession): wire.WholeSession {
  return {
    ...toWireSession(whole.session),
    repo: whole.repo === null ? null : toWireRepo(whole.repo),
    messages: whole.messages.map(toWireMessage),
    lastEventId: String(whole.feedAfter),
  };
}

export function toWireMessage(message: Message): wire.Message {
  const { id, sessionId, runId, seq, role, content, complete, at } = message;
  const isGrowing = !complete && typeof content["text"] === "string";
  return {
    id,
    sessionId,
    runId,
    seq,
    role,
    content: isGrowing ? { ...content, partial: true } : content,
    complete,
    timestamp: toTime(at),
  };
}

export function toWireSent({ messageId, content, at, run, ...rest }: Sent): wire.SendMessageReply {
  return {
    message: {
      id: messageId,
      sessionId: run.sessionId,
      runId: run.id,
      role: "user",
      content,
      complete: true,
      timestamp: toTime(at),
    },
    run: toWireRun(run),
    queued: rest.queued,
    position: rest.position,
    waitsFor: rest.waitsFor,
  };
}

export function toWireRun(run: Run): wire.Run {
  return {
    id: run.id,
    sessionId: run.sessionId,
    messageId: run.messageId,
    status: run.status,
    provider: run.provider,
    model: run.model,
    attempts: run.attempts,
    stopReason: run.stopReason,
    error: run.error,
    usage: run.usage,
    memory: run.memory,
    queuedAt: toTime(run.queuedAt),
    startedAt: toTimeOrNull(run.startedAt),
    endedAt: toTimeOrNull(run.endedAt),
  };
}

export function toWireQueue(queue: readonly QueuedMessage[]): wire.QueueReply {
  return {
    queue: queue.map(({ messageId, runId, content, provider, model, queuedAt }) => ({
      messageId,
      runId,
      content,
      provider,
      model,
      queuedAt: toTime(queuedAt),
    })),
  };
}

/** The fingerprint stays inside: it is for the server to compare, not for people to see. */
export function toWireOpenSuspension(suspension: Suspension): wire.OpenSuspension {
  const { id, kind, request, createdAt, expiresAt } = suspension;
  return {
    id,
    kind,
    request,
    createdAt: toTime(createdAt),
    expiresAt: toTimeOrNull(expiresAt),
  };
}

export function toWireGrant({ at, ...grant }: PermissionGrant): wire.Grant {
  const { id, decision, scope, title, kind, paths, command, by } = grant;
  return { id, decision, scope, title, kind, paths: [...paths], command, by, at: toTime(at) };
}

export function toWireSuspension(suspension: StoredSuspension): wire.Suspension {
  return {
    ...toWireOpenSuspension(suspension),
    sessionId: suspension.sessionId,
    runId: suspension.runId,
    status: suspension.status,
    answer: suspension.answer,
    answeredBy: suspension.answeredBy,
    closedAt: toTimeOrNull(suspension.closedAt),
  };
}

export function toWireRepo({ id, path, name, createdAt }: Repo): wire.Repository {
  return { id, path, name, createdAt: toTime(createdAt) };
}

export function toWireProvider(provider: ProviderDescription): wire.Provider {
  return {
    name: provider.name,
    title: provider.title,
    installed: provider.installed,
    command: [...provider.command],
    install: provider.install,
    models: provider.models.map(({ id, name }) => ({ id, name })),
    modes: provider.modes.map(({ id, name }) => ({ id, name })),
    commands: provider.commands.map(({ name, description, hint }) => ({ name, description, hint })),
    capabilities: provider.capabilities,
  };
}

export function toWireStats(stats: Stats): wire.Stats {
  return {
    sessions: stats.sessions,
    resumeRate: stats.resumeRate,
    successRate: stats.successRate,
    byAgent: stats.byAgent.map(toWireStatsGroup),
    byProvider: stats.byProvider.map(toWireStatsGroup),
  };
}

function toWireStatsGroup(group: StatsGroup): wire.StatsGroup {
  return { ...group };
}

export function toTime(at: number): string {
  return new Date(at).toISOString();
}

function toTimeOrNull(at: number | null): string | null {
  return at === null ? null : toTime(at);
}
