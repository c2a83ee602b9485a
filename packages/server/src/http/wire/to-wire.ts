import { SHARED } from "../../domain/files/session-folder.ts";
import type { Rewind } from "../../domain/files/working-files.ts";
import { withDurations } from "@holdfast/protocol";
import type * as wire from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import { settingsOf } from "../../domain/settings/agent-settings.ts";
import { nextAgent } from "../../domain/choose-agent.ts";
import type { McpServers } from "../../domain/mcp-server.ts";
import { firstTurn } from "../../domain/kernel/last-turn.ts";
import { withPartial, type Message } from "../../domain/message.ts";
import type { ResumeDecision } from "../../domain/should-resume.ts";
import type { Suspension } from "../../domain/suspension.ts";
import type { AccessToken } from "../../runtime/tokens/access-tokens.ts";
import { isDrained, type NodeView } from "../../runtime/cluster/node-view.ts";
import type {
  AgentSessionEnd,
  PermissionGrant,
  ProviderDescription,
  QueuedMessage,
  RawSession,
  RemovedPage,
  Repo,
  ReportedEvent,
  SearchHit,
  Sent,
  SessionOptions,
  SessionPage,
  ShownUnusedAnswer,
  Stats,
  StoredSuspension,
  ToolDecision,
  WholeSession,
  WorktreeEnd,
} from "../../runtime/runtime.ts";
import type { SessionSnapshot } from "../../runtime/session-snapshot.ts";
import { toCursor } from "./from-wire.ts";
import { problemFromError, problemFromRefusal } from "../problems/problem-status.ts";
import { toWireRun } from "./run-wire.ts";
import { toTime, toTimeOrNull } from "./to-time.ts";

export function toWireDeleted({
  session,
  agentSessions,
  worktreeEnd,
}: {
  readonly session: SessionSnapshot;
  readonly agentSessions?: readonly AgentSessionEnd[];
  readonly worktreeEnd?: WorktreeEnd;
}): wire.DeleteSessionReply {
  return {
    ...toWireSession(session),
    ...(agentSessions !== undefined && { agentSessions: agentSessions.map((end) => ({ ...end })) }),
    ...defined({ worktreeEnd }),
  };
}

export function toWireSession(session: SessionSnapshot): wire.Session {
  const suspensions = session.suspensions.map(toWireOpenSuspension);
  return {
    id: session.id,
    agentId: session.agentId,
    repoId: session.repoId,
    title: session.title,
    status: session.status,
    state: session.state,
    suspension: suspensions[0] ?? null,
    suspensions,
    phase: session.phase,
    phaseHistory: [
      ...withDurations(
        session.phaseHistory.map(({ from, to, at }) => ({ from, to, at: toTime(at) })),
        toTime(session.createdAt),
      ),
    ],
    resumeReady: session.resumeReady,
    errorCount: session.errorCount,
    lastError: session.lastError?.text ?? null,
    lastErrorAt: toTimeOrNull(session.lastError?.at ?? null),
    failure: session.failure,
    agentName: session.agentName,
    purpose: session.purpose,
    metadata: session.metadata,
    mcpServers: toWireMcpServers(session.mcpServers),
    directories: [...session.directories],
    provider: session.provider,
    model: session.model,
    next: nextAgent(session),
    ...toWireSettings(session),
    supportsResume: session.supportsResume,
    // Absent in stored replies of earlier versions.
    supportsSteering: session.supportsSteering ?? false,
    delivery: session.delivery,
    queued: session.queued,
    forkedFrom: session.forkedFrom,
    ...toWireFolder(session),
    version: session.version,
    createdAt: toTime(session.createdAt),
    updatedAt: toTime(session.updatedAt),
    lastActiveAt: toTime(session.lastActiveAt),
    lastTurn: toWireTurn(session),
    suspendedAt: toTimeOrNull(session.suspendedAt),
    suspendedReason: session.suspendedReason,
    archivedAt: toTimeOrNull(session.archivedAt),
    removeAt: toTimeOrNull(session.removeAt),
    finalizedAt: toTimeOrNull(session.finalizedAt),
    summary: session.summary,
  };
}

/** Absent in stored replies of earlier versions. */
function toWireTurn({ lastTurn, lastActiveAt }: SessionSnapshot): wire.LastTurn {
  const { at, outcome, line } = lastTurn ?? firstTurn(lastActiveAt);
  return { at: toTime(at), outcome, line };
}

/** All of it is absent in stored replies of earlier versions. */
function toWireFolder(
  session: SessionSnapshot,
): Pick<wire.Session, "workspace" | "worktree" | "changes" | "rewind"> {
  const workspace = session.workspace ?? SHARED;
  const files = session.files ?? null;
  const rewind = session.rewind ?? null;
  const { worktree } = workspace;
  return {
    workspace: workspace.kind,
    worktree: worktree && { path: worktree.folder, branch: worktree.branch, base: worktree.base },
    changes: files?.total ?? null,
    rewind: rewind && toWireRewind(rewind),
  };
}

export function toWireRewind({ id, runId, undoes, status, error }: Rewind): wire.Rewind {
  return { id, run: runId, undoes, status, error };
}

/** Of the agent of the next message. Without a provider, the server's default has the settings that came last. */
function toWireSettings(session: SessionSnapshot): Pick<wire.Session, "mode" | "options"> {
  const { provider } = nextAgent(session);
  // Absent in stored replies of earlier versions.
  const settings = session.settings ?? [];
  const kept = provider === null ? settings.at(-1) : settingsOf(settings, provider);
  return { mode: kept?.mode ?? null, options: kept?.options ?? {} };
}

export function toWireOptions({ provider, options }: SessionOptions): wire.OptionsReply {
  return { provider, options: options.map(toWireOption) };
}

function toWireOption(option: SessionOptions["options"][number]): wire.AgentOption {
  return { ...option, choices: option.choices.map((choice) => ({ ...choice })) };
}

function toWireMcpServers(servers: McpServers): wire.SessionMcpServers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      server.type === "stdio" ? { ...server, args: [...server.args] } : server,
    ]),
  );
}

export function toWireSessionList(
  page: SessionPage,
  { limit, offset, q }: Pick<wire.ListSessionsQuery, "limit" | "offset" | "q">,
): wire.SessionList {
  return {
    sessions: page.sessions.map(toWireSession),
    total: page.total,
    limit,
    offset,
    nextCursor: page.next === null ? null : toCursor(page.next.at, page.next.id),
    counts: page.counts,
    ...(q !== undefined && { hits: page.hits.map(toWireHit) }),
  };
}

export function toWireRemoved({ removed, total }: RemovedPage): wire.RemovedReply {
  return {
    removed: removed.map(({ removedAt, keptUntil, ...session }) => ({
      ...session,
      removedAt: toTime(removedAt),
      keptUntil: toTime(keptUntil),
    })),
    total,
  };
}

function toWireHit({ excerpt: { text, marks }, ...hit }: SearchHit): wire.SearchHit {
  return { ...hit, text, marks: [...marks] };
}

export function toWireWholeSession(whole: WholeSession): wire.WholeSession {
  return { ...toWireAround(whole), messages: whole.messages.map(toWireMessage) };
}

export function toWireAround(
  whole: Omit<WholeSession, "messages">,
): Omit<wire.WholeSession, "messages"> {
  return {
    ...toWireSession(whole.session),
    repo: whole.repo === null ? null : toWireRepo(whole.repo),
    earlier: whole.earlier,
    rewoundRuns: [...whole.rewoundRuns].toSorted(),
    lastEventId: String(whole.feedAfter),
  };
}

export function toWireDecision(decision: ToolDecision): wire.Decision {
  const { id: suspensionId, closedAt, ...rest } = decision;
  return { suspensionId, ...rest, closedAt: toTimeOrNull(closedAt) };
}

export function toWireRaw({ row, reason, parts, partCount }: RawSession): wire.RawSession {
  return { row, reason, parts: [...parts], partCount };
}

export function toWireMessage(message: Message): wire.Message {
  const { id, sessionId, runId, seq, role, content, complete, at } = message;
  return {
    id,
    sessionId,
    runId,
    seq,
    role,
    content: withPartial(content, complete),
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
      content: withPartial(content, true),
      complete: true,
      timestamp: toTime(at),
    },
    run: toWireRun(run),
    queued: rest.queued,
    position: rest.position,
    waitsFor: rest.waitsFor,
    ...(rest.steering !== undefined && {
      injected: rest.steering === "injected",
      steering: rest.steering,
    }),
  };
}

export function toWireQueue({
  queue,
}: {
  readonly queue: readonly QueuedMessage[];
}): wire.QueueReply {
  return { queue: queue.map((message) => ({ ...message, queuedAt: toTime(message.queuedAt) })) };
}

/** Leaves out the fingerprint, which only the server compares. */
export function toWireOpenSuspension(suspension: Suspension): wire.OpenSuspension {
  const { id, kind, request, createdAt, expiresAt } = suspension;
  return { id, kind, request, createdAt: toTime(createdAt), expiresAt: toTimeOrNull(expiresAt) };
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

export function toWireUnusedAnswer(unused: ShownUnusedAnswer): wire.InboxUnusedAnswer {
  return { ...unused, at: toTime(unused.at) };
}

export function toWireReportedEvent(reported: ReportedEvent): wire.ReportedSession {
  const { sessionId, suspensionId, problem } = reported;
  const answered = problem === null;
  if (answered) return { sessionId, suspensionId, answered, problem: null };
  const { code, detail } =
    problem instanceof Error ? problemFromError(problem) : problemFromRefusal(problem);
  return { sessionId, suspensionId, answered, problem: { code, detail } };
}

export function toWireRepo({ id, path, name, label, createdAt }: Repo): wire.Repository {
  return { id, path, name, ...defined({ label }), createdAt: toTime(createdAt) };
}

export function toWireToken(token: AccessToken): wire.Token {
  const { id, name, scope, sessionId, createdAt, lastUsedAt, expiresAt, revokedAt } = token;
  return {
    id,
    name,
    scope,
    sessionId,
    createdAt: toTime(createdAt),
    lastUsedAt: toTimeOrNull(lastUsedAt),
    expiresAt: toTimeOrNull(expiresAt),
    revokedAt: toTimeOrNull(revokedAt),
  };
}

export function toWireNode(
  node: NodeView,
  { self }: { readonly self: Pick<NodeView, "node"> | null },
): wire.Node {
  return {
    id: node.node,
    name: node.name,
    version: node.version,
    labels: [...node.labels],
    capacity: node.capacity,
    busy: node.busy,
    alive: node.alive,
    draining: node.draining,
    drained: isDrained(node),
    startedAt: toTime(node.startedAt),
    self: node.node === self?.node,
  };
}

export function toWireProvider(provider: ProviderDescription): wire.Provider {
  return {
    name: provider.name,
    title: provider.title,
    installed: provider.installed,
    command: [...provider.command],
    install: provider.install,
    login: provider.login,
    loginStatus: provider.loginStatus,
    loginMethods: provider.loginMethods.map((method) => ({ ...method })),
    canLogOut: provider.canLogOut,
    version: provider.version,
    models: provider.models.map(({ id, name }) => ({ id, name })),
    modes: provider.modes.map(({ id, name }) => ({ id, name })),
    options: (provider.options ?? []).map(toWireOption),
    commands: provider.commands.map(({ name, description, hint }) => ({ name, description, hint })),
    capabilities: provider.capabilities,
  };
}

export function toWireStats({ overTime, ...stats }: Stats): wire.Stats {
  return {
    ...stats,
    byAgent: [...stats.byAgent],
    byProvider: [...stats.byProvider],
    byPhase: [...stats.byPhase],
    overTime: {
      bucketMs: overTime.bucketMs,
      buckets: overTime.buckets.map((bucket) => ({ ...bucket, start: toTime(bucket.start) })),
    },
  };
}

export function toWireResumeDecision({ checks, ...decision }: ResumeDecision): wire.ResumeDecision {
  return { ...decision, checks: [...checks] };
}
