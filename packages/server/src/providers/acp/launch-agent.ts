import { randomUUID } from "node:crypto";
import type { AgentHost } from "../host/agent-host.ts";
import type { AboutAgent } from "../host/host-protocol.ts";
import { toHostedFolder } from "../host/hosted-folders.ts";
import type { HostedProcess } from "../host/hosted-process.ts";
import { openJournal, type Journal } from "../journal.ts";
import { AgentFault, type StartAgent, type ToolServer } from "../provider.ts";
import { secretsOfAnswer, secretsOfOwn } from "../secrets/secret-values.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { normalHost } from "../network/network-policy.ts";
import { proxyFor } from "../network/upstream-proxy.ts";
import { ownershipVariables, type GitOwners } from "../../git/git-ownership.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { LoginStatus } from "../login.ts";
import { AcpLink } from "./acp-link.ts";
import { asPassing, isWorthAnotherStart } from "./agent-fault.ts";
import { ACP_TIMES, type AcpTimes } from "./acp-times.ts";
import {
  addressesOf,
  findUserServers,
  secretsOfServer,
  type UserServer,
} from "./connections/user-servers.ts";
import type { AcpDefinition } from "./definition.ts";
import type { OpenSession } from "./open-session.ts";
import { programOf } from "./process/agent-command.ts";
import {
  agentEnvironment,
  MARKER_VARIABLE,
  ownVariables,
  writeMarker,
  type Marker,
} from "./process/agent-environment.ts";
import type { SweepResult } from "./process/process-sweep.ts";
import { sweepAfterAgent } from "./process/sweep-after-agent.ts";
import { spawnAgent, type AgentProcess, type SpawnRequest } from "./process/spawn-agent.ts";
import { stopAgent } from "./process/stop-agent.ts";
import { umaskOfUser } from "./process/umask.ts";
import { createAgentTranslator } from "./translate/subagents.ts";
import type { Translator } from "./translate/translate.ts";
import type { LateUpdates } from "./wire/late-updates.ts";
import { createLineReader } from "./wire/line-reader.ts";

export interface AcpProviderOptions {
  readonly definition: AcpDefinition;
  /** Identifies the server in the marker of its processes. It is the same after a restart. */
  readonly owner: string;
  /** The server's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Null: no journals. */
  readonly journalFolder: string | null;
  readonly clientVersion: string;
  readonly clock?: () => number;
  readonly times?: Partial<AcpTimes>;
  readonly translator?: (redactor: Redactor, outputBytes?: number) => Translator;
  /** How much of the output of a tool call is kept. */
  readonly outputBytes?: number;
  /** All secrets of the server; those of the definition and of the agent's tools are added. */
  readonly secrets?: Secrets;
  readonly sandbox?: Sandbox;
  /** Other users in whose repositories the agent's Git works. */
  readonly gitOwners?: GitOwners;
  /** Tools for the agent of a session. */
  readonly toolsFor?: (sessionId: string) => Promise<readonly ToolServer[]>;
  /** The variables of the server that MCP servers of sessions may use. */
  readonly mcpVariables?: readonly string[];
  /** Keeps agents alive while the server restarts. Absent: they end with the server. */
  readonly host?: AgentHost;
  /** Called if processes of an agent could not be killed. */
  readonly onLeftovers?: (result: SweepResult) => void;
}

export type OpenOptions = AcpProviderOptions & {
  readonly secrets: Secrets;
  readonly late: LateUpdates;
};

/** A process that speaks the protocol, and everything that is needed to open a session in it and to stop it. */
export interface LaunchedAgent {
  readonly link: AcpLink;
  readonly context: OpenSession;
  readonly marker: Marker;
  /** Sentences about connections that it does not get. */
  readonly notices: readonly string[];
  readonly sweep: () => Promise<SweepResult>;
  readonly closeJournal: () => Promise<void>;
  /** Null if the process ends with the server. */
  readonly hosted: HostedProcess["host"] | null;
}

export async function launch(
  options: OpenOptions,
  request: StartAgent,
  {
    onLoginStatus = () => {},
    journal: given,
  }: {
    readonly onLoginStatus?: (status: LoginStatus) => void;
    /** Instead of the journal of the session. */
    readonly journal?: Journal | null;
  } = {},
): Promise<LaunchedAgent> {
  const { definition, environment, owner, clientVersion, secrets, clock = Date.now } = options;
  const { workspace, sessionId } = request;
  const times = { ...ACP_TIMES, ...options.times };
  const marker = { owner, agent: randomUUID() };
  const tools = untilAborted(toolServersOf(options, sessionId, marker), definition, request.signal);
  // An enclosed process sees only what it gets with its start. Others start while the tools are not known yet.
  const isEnclosed = options.sandbox?.state.active === true;
  const toolServers = isEnclosed ? await tools : [];
  if (request.signal.aborted) throw abortFault(definition, request.signal);
  const ownEnvironment = agentEnvironment(environment, definition, marker, workspace.path);
  const { gitOwners = [] } = options;
  const env = {
    ...ownEnvironment,
    ...(await ownershipVariables(workspace.path, gitOwners, ownEnvironment)),
  };
  const { redactor } = secrets;
  const directories = request.connections?.directories ?? [];
  const users = userServersOf(options, request, { marker, environment: env });
  const userServers = users.servers;
  const [program, ...args] = programOf(options, workspace.path);
  const enclosure =
    (await options.sandbox?.enclose({
      workspace,
      command: [program, ...args],
      environment: env,
      mounts: definition.mounts,
      toolServers,
      userServers,
      directories,
      network: definition.network,
      given: { ...ownVariables(environment, definition), ...addressesOf(userServers) },
    })) ?? null;
  const { journalFolder: folder } = options;
  const journal =
    given ?? (folder === null ? null : openJournal({ folder, sessionId, redactor, clock }));
  let own: HostedProcess["host"] | null = null;
  const sweep = sweepAfterAgent({
    marker,
    hosted: () => own,
    endSurroundings: () => enclosure?.killAll(),
    onLeftovers: options.onLeftovers,
  });
  const stderr = createLineReader({
    onLine: (line) => journal?.write("stderr", line),
    onOversize: (head) => journal?.write("stderr", head),
    maxBytes: 64 * 1024,
  });
  const { process, hosted } = await start(options, {
    command: enclosure?.command ?? { program, args, env },
    isEnclosed: enclosure?.isBubblewrap ?? false,
    mayOutlive: enclosure?.needsServer !== true,
    workspace,
    directories,
    onStderr: stderr.push,
    about: { sessionId, provider: definition.name, marker },
  }).catch(async (error: unknown) => {
    enclosure?.close();
    await enclosure?.killAll();
    throw error;
  });
  own = hosted;
  if (hosted !== null) enclosure?.bind?.(process.pid);
  void process.exited.then(() => {
    if (hosted?.endedBy !== "replaced") enclosure?.close();
  });
  request.onProcess?.(process);
  const link = new AcpLink({
    title: definition.title,
    protocol: definition.protocol,
    process,
    translator: (options.translator ?? createAgentTranslator)(redactor, options.outputBytes),
    journal,
    redactor,
    times,
    late: options.late,
    onSecret: (answer) => {
      hosted?.keepNothing();
      secretsOfAnswer(answer).forEach(secrets.note);
    },
    onReport: request.onReport,
    onLoginStatus,
    hosted: hosted === null ? undefined : { agent: hosted.id },
  });
  void process.exited.then(() => stderr.end());
  const closeJournal = async (): Promise<void> => journal?.close();
  const connections = tools.then((known) => {
    noteSecrets(options, known);
    const inside = isEnclosed && enclosure !== null ? enclosure.toolServers : known;
    const servers = reachable(inside, enclosure?.command.env ?? env);
    return { toolServers: servers, userServers, directories };
  });
  // The start may fail before anybody waits for them.
  connections.catch(() => {});
  const context = {
    link,
    definition,
    request,
    connections,
    environment: env,
    clientVersion,
    clock,
  };
  return { link, context, marker, notices: users.notices, sweep, closeJournal, hosted };
}

/** What the agent gets for a session, if its process was started before. It is not enclosed. */
export function connectLater(
  options: OpenOptions,
  request: StartAgent,
  { marker, context: { environment } }: Pick<LaunchedAgent, "marker" | "context">,
): Pick<LaunchedAgent, "notices"> & Pick<OpenSession, "connections"> {
  const { definition } = options;
  const directories = request.connections?.directories ?? [];
  const users = userServersOf(options, request, { marker, environment });
  const tools = toolServersOf(options, request.sessionId, marker);
  const connections = untilAborted(tools, definition, request.signal).then((known) => {
    noteSecrets(options, known);
    const toolServers = reachable(known, environment);
    return { toolServers, userServers: users.servers, directories };
  });
  connections.catch(() => {});
  return { notices: users.notices, connections };
}

function userServersOf(
  options: OpenOptions,
  { workspace, connections }: StartAgent,
  of: { readonly marker: Marker; readonly environment: Readonly<Record<string, string>> },
): { readonly servers: readonly UserServer[]; readonly notices: readonly string[] } {
  const { definition, secrets } = options;
  const { servers, notices } = findUserServers({
    configured: definition.mcpServers,
    own: connections?.mcpServers ?? {},
    allowed: options.mcpVariables ?? [],
    environment: options.environment,
    searchPath: of.environment["PATH"],
    workspace: workspace.path,
    network: options.sandbox?.state.active === true ? definition.network : null,
  });
  for (const server of servers) for (const secret of secretsOfServer(server)) secrets.note(secret);
  return { servers: servers.map((server) => withMarker(server, of.marker)), notices };
}

function noteSecrets({ secrets }: OpenOptions, tools: readonly ToolServer[]): void {
  for (const { env } of tools) for (const secret of secretsOfOwn(env)) secrets.note(secret);
}

interface StartProcess extends SpawnRequest {
  readonly about: AboutAgent;
  /** It needs nothing that ends with the server. */
  readonly mayOutlive: boolean;
}

/** Starts the process in the host if there is one. */
async function start(
  { host, definition }: OpenOptions,
  { about, mayOutlive, ...request }: StartProcess,
): Promise<{ readonly process: AgentProcess; readonly hosted: HostedProcess["host"] | null }> {
  // A later server could not go on in the middle of the newer protocol.
  if (host === undefined || !mayOutlive || definition.protocol !== 1)
    return { process: await spawnAgent(request), hosted: null };
  const { command, isEnclosed, workspace, directories = [], onStderr = () => {} } = request;
  const process = await host.start(
    {
      about,
      command,
      isEnclosed,
      umask: umaskOfUser(),
      workspace: toHostedFolder(workspace),
      directories: directories.map(toHostedFolder),
    },
    { onStderr },
  );
  return { process, hosted: process.host };
}

/** Stops a process that did not start as it should, and returns the fault. Nothing may be left running, even after a bug. */
export async function abandon(
  launched: LaunchedAgent,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const { link, context } = launched;
  const fault = await link.faultOf(error).then(
    (agentFault) => (isWorthAnotherStart(error) ? asPassing(agentFault) : agentFault),
    (bug: unknown) => bug,
  );
  await stop(launched);
  return signal.aborted ? abortFault(context.definition, signal) : fault;
}

export async function stop({ link, sweep, closeJournal, hosted }: LaunchedAgent): Promise<void> {
  const { process, times } = link;
  const urgency = AbortSignal.abort();
  await stopAgent({ process, cancel: null, close: null, sweep, times, urgency });
  await closeJournal();
  hosted?.forget();
}

/** An agent that sends everything to a proxy cannot reach an address of this machine. It gets the program instead. */
function reachable(
  servers: readonly ToolServer[],
  environment: Readonly<Record<string, string>>,
): readonly ToolServer[] {
  return servers.map(({ address, ...server }) => {
    if (address === undefined) return server;
    const { protocol, hostname: host, port } = new URL(address.url);
    const target = { host: normalHost(host), port: Number(port) };
    const isDirect = protocol === "http:" && proxyFor(target, "http", environment) === null;
    return isDirect ? { ...server, address } : server;
  });
}

/** Also rejects when the start is aborted. */
function untilAborted<Value>(
  value: Promise<Value>,
  definition: AcpDefinition,
  signal: AbortSignal,
): Promise<Value> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(abortFault(definition, signal));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  const either = Promise.race([value, aborted]);
  either.catch(() => {});
  return either;
}

function withMarker(server: UserServer, marker: Marker): UserServer {
  if (server.type !== "stdio") return server;
  return { ...server, env: { ...server.env, [MARKER_VARIABLE]: writeMarker(marker) } };
}

/** They get the marker explicitly, because agents do not pass on their own environment. */
export async function toolServersOf(
  { definition, toolsFor }: AcpProviderOptions,
  sessionId: string,
  marker: Marker,
): Promise<readonly ToolServer[]> {
  if (!definition.tools || toolsFor === undefined) return [];
  const servers = await toolsFor(sessionId);
  return servers.map((server) => ({
    ...server,
    env: { [MARKER_VARIABLE]: writeMarker(marker), ...server.env },
  }));
}

function abortFault({ title }: AcpDefinition, { reason }: AbortSignal): AgentFault {
  return new AgentFault("agent_not_started", `${title} was aborted while it started`, {
    cause: reason,
  });
}
