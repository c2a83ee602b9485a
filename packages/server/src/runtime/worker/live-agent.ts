import { sameJson, type Json } from "../../domain/json.ts";
import type { Connections } from "../../domain/mcp-server.ts";
import { optionIn } from "../../domain/settings/agent-offer.ts";
import { settingsOf } from "../../domain/settings/agent-settings.ts";
import {
  isUnchanged,
  resumePointOf,
  type AgentOrigin,
  type ResumePoint,
} from "../../domain/resume-point.ts";
import type { CurrentRun } from "../../domain/run.ts";
import { stateOf, type Session } from "../../domain/session.ts";
import {
  AgentFault,
  type Agent,
  type OnReport,
  type OutputPlace,
} from "../../providers/provider.ts";
import type { Fence, Store } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { OpenWorkspace } from "../open-workspace.ts";
import type { AgentEndReason, AgentRecord } from "./agent-trail.ts";
import { providerGone } from "../requests/refuse-provider.ts";
import { pauseBefore } from "../run/retry-pause.ts";
import { readPromptNote, type FoundAgent } from "../take-up/found-agents.ts";
import { sessionTools } from "./session-tools.ts";

export interface StartLiveAgent {
  readonly context: RuntimeContext;
  readonly session: Session;
  /** The run that needs the agent, or the last one. */
  readonly run: Pick<CurrentRun, "id" | "provider" | "model" | "continuity">;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  readonly onReport: OnReport;
  readonly onExit: (live: LiveAgent) => void;
}

/** How the agent knows the messages before the run. */
export type AgentMemory = "live" | Agent["memory"];

/** A session's agent while it is alive, across its runs. */
export class LiveAgent {
  readonly agent: Agent;
  /** The agent has not been prompted yet. */
  isNew = true;
  /** Suspensions whose end the agent knows. */
  readonly knownEnds = new Set<string>();
  /** Tool calls that an earlier agent left open. */
  readonly adopted = new Set<string>();

  /** Sentences about connections of the session that it does not have. */
  readonly notices: readonly string[];

  readonly #records: readonly AgentRecord[];
  readonly #connections: Connections;

  constructor(
    agent: Agent,
    {
      records,
      connections,
      notices,
    }: {
      readonly records: readonly AgentRecord[];
      readonly connections: Connections;
      readonly notices: readonly string[];
    },
  ) {
    this.agent = agent;
    this.notices = notices;
    this.#records = records;
    this.#connections = connections;
  }

  /** Whether it was started with these connections. */
  isConnectedTo({ mcpServers, directories }: Connections): boolean {
    const { mcpServers: servers, directories: folders } = this.#connections;
    return sameJson(servers, mcpServers) && sameJson(folders, directories);
  }

  /** Ends the agent. When `urgent`, without time to finish. */
  stop(reason: AgentEndReason, options: { readonly urgent?: boolean } = {}): Promise<void> {
    for (const record of this.#records) record.endsFor(reason);
    return this.agent.stop(options);
  }

  readonly roomFor: NonNullable<Agent["roomFor"]> = (prompt) => {
    const of = prompt.history?.length ?? 0;
    return this.agent.roomFor?.(prompt) ?? { given: of, of };
  };

  get memory(): AgentMemory {
    return this.isNew || this.agent.memory === "told" ? this.agent.memory : "live";
  }

  /** Starts the agent, again after failures that may pass. Throws an `AgentFault`. */
  static async start(options: StartLiveAgent): Promise<LiveAgent> {
    const { context, session, run, fence, signal } = options;
    for (let tries = 0; ; tries += 1) {
      try {
        const live = await startOnce(options);
        void live.agent.exited.then(() => options.onExit(live));
        // Nothing else can stop this agent yet, and a call to the database can take long.
        const stop = (): Promise<void> => live.stop("start_failed", { urgent: true });
        const stopNow = (): void => void stop();
        signal.addEventListener("abort", stopNow);
        try {
          await recordResume(context.patient(signal), session.id, fence, live.agent);
        } catch (error) {
          await stop();
          throw error;
        } finally {
          signal.removeEventListener("abort", stopNow);
        }
        context.offers.keep(live.agent, { isNew: true });
        return live;
      } catch (error) {
        if (!(error instanceof AgentFault) || signal.aborted) throw error;
        if (!error.isPassing || tries >= context.limits.retries) throw error;
        const { code } = error;
        context.log.warn({ sessionId: session.id, runId: run.id, code }, "the agent did not start");
        await pauseBefore(tries, error, context.limits.retryPauseMs, signal);
      }
    }
  }
}

export interface TakeUpLiveAgent extends Pick<
  StartLiveAgent,
  "context" | "session" | "signal" | "onReport" | "onExit"
> {
  readonly found: FoundAgent;
  readonly stored: OutputPlace | null;
}

/** Goes on with an agent that an earlier server has started. Null if it cannot be taken up: then it is ended. */
export async function takeUpLiveAgent(options: TakeUpLiveAgent): Promise<LiveAgent | null> {
  const { context, session, found, stored, signal, onReport } = options;
  const provider = context.provider(found.provider);
  if (provider?.takeUp === undefined) {
    await context.found.end(found);
    return null;
  }
  context.found.take(found);
  const { id: sessionId } = session;
  const runId = readPromptNote(found.prompt)?.runId ?? "";
  const about = { sessionId, runId, provider: found.provider, workspace: "" };
  const records: AgentRecord[] = [];
  const agent = await provider.takeUp({
    sessionId,
    agent: found.agent,
    stored,
    onReport,
    onProcess: (process) => void records.push(context.agents.started({ ...about, ...process })),
    signal,
  });
  if (agent === null) return null;
  for (const record of records) record.isReady();
  const live = new LiveAgent(agent, { records, connections: session, notices: [] });
  live.isNew = false;
  void agent.exited.then(() => options.onExit(live));
  context.offers.keep(agent, { isNew: false });
  return live;
}

/** An agent that exits while it resumes gets a new session of its own, or the run could never start. */
async function startOnce(options: StartLiveAgent): Promise<LiveAgent> {
  const { context, session, run, signal } = options;
  const point = run.continuity === "off" ? null : resumePointOf(session.resumeData, run.provider);
  try {
    return (await startFork(options, point)) ?? (await startWith(options, point?.data ?? null));
  } catch (error) {
    const isOfResume = error instanceof AgentFault && error.code === "agent_exited";
    const hasEarlier = point !== null && (point.data !== null || point.origin !== undefined);
    if (!hasEarlier || !isOfResume || signal.aborted) throw error;
    const fields = { sessionId: session.id, runId: run.id, provider: run.provider };
    context.log.warn(fields, "the agent exited while it resumed its session; it gets a new one");
    return startWith(options, null);
  }
}

/**
 * Starts an agent in a copy of the agent's session of the fork's origin. Null if there is none, or if the origin has gone
 * on: its session contains more than the fork then. The origin can also go on while the copy is made.
 */
async function startFork(
  options: StartLiveAgent,
  point: ResumePoint | null,
): Promise<LiveAgent | null> {
  const origin = point?.origin;
  if (origin === undefined) return null;
  const { store } = options.context;
  if (!(await isUntouched(store, origin))) return null;
  const live = await startWith(options, origin.data, { isFork: true });
  if (live.agent.memory !== "forked" || (await isUntouched(store, origin))) return live;
  await live.stop("replaced", { urgent: true });
  return null;
}

async function isUntouched(store: Store, origin: AgentOrigin): Promise<boolean> {
  const loaded = await store.load(origin.sessionId);
  if (loaded.found !== "session") return false;
  const { session } = loaded.stored;
  return stateOf(session) === "idle" && isUnchanged(origin, session);
}

async function startWith(
  { context, session, run, signal, onReport }: StartLiveAgent,
  resume: Json,
  { isFork = false }: { readonly isFork?: boolean } = {},
): Promise<LiveAgent> {
  const provider = context.provider(run.provider);
  if (provider === null) throw new AgentFault("agent_not_installed", providerGone(run.provider));
  const opened = await context.folders.open(session);
  if (!opened.ok) throw new AgentFault("agent_not_started", opened.refusal.message);
  const { workspace } = opened;
  const { directories, notices } = await openDirectories(context, session.directories);
  const about = {
    sessionId: session.id,
    runId: run.id,
    provider: run.provider,
    workspace: workspace.path,
  };
  const records: AgentRecord[] = [];
  try {
    const agent = await provider.startAgent({
      sessionId: session.id,
      workspace,
      model: run.model,
      mode: settingsOf(session.settings, run.provider).mode,
      tools: sessionTools(session.metadata),
      connections: { mcpServers: session.mcpServers, directories },
      resume,
      isFork,
      spare: context.spares.take(run.provider, workspace.path),
      onReport,
      onProcess: (process) => void records.push(context.agents.started({ ...about, ...process })),
      signal,
    });
    for (const record of records) record.isReady();
    if (run.provider === context.defaultProvider()) context.spares.note(session.repoId);
    return new LiveAgent(agent, {
      records,
      connections: session,
      notices: [...notices, ...(agent.notices ?? [])],
    });
  } finally {
    await Promise.all([workspace, ...directories].map((folder) => folder.close()));
  }
}

/** Verifies the directories again. One that cannot be opened is left out. */
async function openDirectories(
  { openDirectory }: RuntimeContext,
  paths: readonly string[],
): Promise<{
  readonly directories: readonly OpenWorkspace[];
  readonly notices: readonly string[];
}> {
  const directories: OpenWorkspace[] = [];
  const notices: string[] = [];
  for (const path of paths) {
    const opened = await openDirectory(path);
    if (opened.ok) directories.push(opened.workspace);
    else notices.push(`The directory ${path} is left out: ${opened.refusal.message}`);
  }
  return { directories, notices };
}

async function recordResume(
  { execute, clock }: RuntimeContext,
  sessionId: string,
  fence: Fence,
  { supportsResume, resumeData, provider, offer, steer }: Agent,
): Promise<void> {
  const mode = offer === undefined ? null : (optionIn(offer, "mode")?.value ?? null);
  const isNamed = typeof mode === "string" && { mode };
  const steering = steer !== undefined && ({ supportsSteering: true } as const);
  const fields = { at: clock(), provider, supportsResume, resumeData, ...isNamed, ...steering };
  await execute({ sessionId, command: { type: "record-resume", ...fields }, extras: { fence } });
}
