import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../domain/json.ts";
import { openJournal } from "../journal.ts";
import {
  AgentFault,
  type Agent,
  type Choice,
  type Provider,
  type ProviderDescription,
  type StartAgent,
  type ToolServer,
} from "../provider.ts";
import { createRedact } from "../redact.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { NOTHING_KNOWN, type AgentAbout } from "./translate/about.ts";
import { AcpAgent } from "./acp-agent.ts";
import { AcpLink } from "./acp-link.ts";
import { ACP_TIMES, type AcpTimes } from "./acp-times.ts";
import {
  agentEnvironment,
  MARKER_VARIABLE,
  secretsOf,
  writeMarker,
  type Marker,
} from "./process/agent-environment.ts";
import type { AcpDefinition } from "./definition.ts";
import { findProgram } from "./process/find-program.ts";
import { createLineReader } from "./wire/line-reader.ts";
import { openSession } from "./open-session.ts";
import { sweepAgents, type Swept } from "./process/process-sweep.ts";
import { PeerFault, RPC_CODES, RpcError } from "./wire/rpc-error.ts";
import { spawnAgent } from "./process/spawn-agent.ts";
import { stopAgent } from "./process/stop-agent.ts";
import { createTranslator } from "./translate/translate.ts";
import type { Translator } from "./translate/translator.ts";

export interface AcpProviderOptions {
  readonly definition: AcpDefinition;
  /** Marks the processes as this server's: the same after a restart, another for every other server. */
  readonly owner: string;
  /** The server's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where journals are kept; null keeps none. */
  readonly journalFolder: string | null;
  readonly clientVersion: string;
  readonly clock?: () => number;
  readonly times?: Partial<AcpTimes>;
  readonly translator?: () => Translator;
  /** Where agents are started; without it they are started like any program. */
  readonly sandbox?: Sandbox;
  /** Tools for the agent of a session. */
  readonly toolsFor?: (sessionId: string) => Promise<readonly ToolServer[]>;
  /** Told when processes of an agent could not be ended. */
  readonly onLeftovers?: (left: Swept) => void;
}

/** Agents of one program that speaks the Agent Client Protocol over stdio. */
export function createAcpProvider(options: AcpProviderOptions): Provider {
  const { definition, environment } = options;
  let seen: Seen = { about: NOTHING_KNOWN, capabilities: null };
  return {
    name: definition.name,
    asks: definition.asks,
    describe: () => Promise.resolve(describe(definition, environment, seen)),
    startAgent: (request) =>
      startAgent(options, request, (now) => {
        seen = now;
      }),
  };
}

/** What the last agent told of itself. */
interface Seen {
  readonly about: AgentAbout;
  readonly capabilities: JsonObject | null;
}

function describe(
  definition: AcpDefinition,
  environment: AcpProviderOptions["environment"],
  { about, capabilities }: Seen,
): ProviderDescription {
  const command = commandOf(definition, environment);
  const configured = definition.models.map((id): Choice => ({ id, name: id }));
  const offered = about.models.filter(({ id }) => !definition.models.includes(id));
  return {
    name: definition.name,
    title: definition.title,
    installed: findProgram(command[0] ?? "", searchPathOf(definition, environment)) !== null,
    command,
    install: definition.install,
    models: [...configured, ...offered],
    modes: about.modes,
    commands: about.commands,
    capabilities,
  };
}

async function startAgent(
  options: AcpProviderOptions,
  request: StartAgent,
  onSeen: (seen: Seen) => void,
): Promise<Agent> {
  const { definition, environment, owner, clientVersion, clock = Date.now } = options;
  const times = { ...ACP_TIMES, ...options.times };
  const { path: folder } = request.workspace;
  const marker = { owner, agent: randomUUID() };
  const toolServers = await toolServersOf(options, { sessionId: request.sessionId, marker });
  if (request.signal.aborted) throw givenUp(definition, request.signal);
  const env = agentEnvironment({ server: environment, definition, marker, folder });
  const secrets = [
    ...secretsOf(environment, definition),
    ...toolServers.flatMap((server) => Object.values(server.env)),
  ];
  const [program, ...args] = programOf(options, folder);
  const enclosed = options.sandbox?.enclose({
    workspace: request.workspace,
    command: [program, ...args],
    environment: env,
    mounts: definition.mounts,
    toolServers,
  });
  const journal = openAgentJournal(options, request, secrets);
  const sweep = async (): Promise<Swept> => {
    const swept = await sweepAgents(marker);
    if (swept.left.length > 0) options.onLeftovers?.(swept);
    return swept;
  };
  const stderr = createLineReader({
    onLine: (line) => journal?.write("stderr", line),
    onOversize: (head) => journal?.write("stderr", head),
    maxBytes: 64 * 1024,
  });
  const process = await spawnAgent({
    command: enclosed ?? { program, args, env },
    isEnclosed: (enclosed ?? null) !== null,
    workspace: request.workspace,
    onStderr: stderr.push,
  });
  request.onProcess?.(process);
  const link = new AcpLink({
    title: definition.title,
    process,
    translator: (options.translator ?? createTranslator)(),
    journal,
    redact: createRedact(secrets),
    times,
    onReport: request.onReport,
  });
  void process.exited.then(() => stderr.end());
  const closeJournal = async (): Promise<void> => journal?.close();
  try {
    const session = await openSession({
      link,
      definition,
      folder,
      model: request.model,
      resume: request.resume,
      toolServers,
      environment: env,
      clientVersion,
      clock,
      startMs: times.startMs,
      signal: request.signal,
    });
    const { told } = session.capabilities;
    // Read when it is asked for: agents announce their commands some time after they started.
    onSeen({
      get about() {
        return link.about;
      },
      capabilities: told,
    });
    return new AcpAgent({ definition, link, session, times, sweep, closeJournal });
  } catch (error) {
    // Whatever it was, nothing may be left running.
    const fault = await link.faultOf(error).then(
      (known) => (isWorthAnotherStart(error) ? asPassing(known) : known),
      (bug: unknown) => bug,
    );
    const urgency = AbortSignal.abort();
    await stopAgent({ process, cancel: null, close: null, sweep, times, urgency });
    await closeJournal();
    throw request.signal.aborted ? givenUp(definition, request.signal) : fault;
  }
}

/**
 * It ended, or failed by itself, before it was given anything: to start it again repeats nothing. Agents that start at
 * the same time can be in each other's way. What it says of our request stays true however often it is made.
 */
function isWorthAnotherStart(error: unknown): boolean {
  if (error instanceof PeerFault) return error.code === "closed";
  return error instanceof RpcError && !LASTING.has(error.code);
}

const LASTING: ReadonlySet<number> = new Set([
  RPC_CODES.authRequired,
  RPC_CODES.invalidRequest,
  RPC_CODES.methodNotFound,
  RPC_CODES.invalidParams,
]);

function asPassing(fault: AgentFault): AgentFault {
  const { code, message, detail, retryAfterMs, cause } = fault;
  return new AgentFault(code, message, { detail, retryAfterMs, cause, isPassing: true });
}

/** Marked, since agents start them with an environment of their own making. */
async function toolServersOf(
  { definition, toolsFor }: AcpProviderOptions,
  { sessionId, marker }: { readonly sessionId: string; readonly marker: Marker },
): Promise<readonly ToolServer[]> {
  if (!definition.tools || toolsFor === undefined) return [];
  const servers = await toolsFor(sessionId);
  return servers.map((server) => ({
    ...server,
    env: { [MARKER_VARIABLE]: writeMarker(marker), ...server.env },
  }));
}

function openAgentJournal(
  { journalFolder, clock = Date.now }: AcpProviderOptions,
  { sessionId }: StartAgent,
  secrets: readonly string[],
): ReturnType<typeof openJournal> | null {
  if (journalFolder === null) return null;
  return openJournal({ folder: journalFolder, sessionId, secrets, clock });
}

/** The program's path first. */
function programOf(
  { definition, environment }: AcpProviderOptions,
  folder: string,
): readonly [string, ...string[]] {
  const [name = "", ...args] = commandOf(definition, environment);
  const program = findProgram(name, searchPathOf(definition, environment));
  if (program === null) {
    const hint = definition.install === null ? "" : `; to get it: ${definition.install}`;
    throw new AgentFault(
      "agent_not_installed",
      `${definition.title} is not installed: there is no program ${name}${hint}`,
    );
  }
  return [program, ...args.map((arg) => arg.replaceAll("{workspace}", folder))];
}

function commandOf(
  { command, pathVariable }: AcpDefinition,
  environment: AcpProviderOptions["environment"],
): readonly string[] {
  const named = pathVariable === null ? undefined : environment[pathVariable];
  return named === undefined || named === "" ? command : [named, ...command.slice(1)];
}

function searchPathOf(
  { env }: AcpDefinition,
  environment: AcpProviderOptions["environment"],
): string | undefined {
  return env["PATH"] ?? environment["PATH"];
}

function givenUp({ title }: AcpDefinition, { reason }: AbortSignal): AgentFault {
  return new AgentFault("agent_not_started", `${title} was given up while it started`, {
    cause: reason,
  });
}
