import { randomUUID } from "node:crypto";
import { variablesOf } from "../../domain/mcp-server.ts";
import { openJournal } from "../journal.ts";
import {
  AgentFault,
  type Agent,
  type Choice,
  type DeleteAgentSession,
  type Provider,
  type ProviderDescription,
  type StartAgent,
  type ToolServer,
} from "../provider.ts";
import { secretsOfAnswer, secretsOfOwn } from "../secrets/secret-values.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { openSecrets, type Secrets } from "../secrets/secrets.ts";
import { normalHost } from "../network/network-policy.ts";
import { proxyFor } from "../network/upstream-proxy.ts";
import { ownershipVariables, type GitOwners } from "../sandbox/git-ownership.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { AcpAgent } from "./acp-agent.ts";
import { AcpLink } from "./acp-link.ts";
import { asPassing, isWorthAnotherStart } from "./agent-fault.ts";
import { ACP_TIMES, type AcpTimes } from "./acp-times.ts";
import {
  addressesOf,
  findUserServers,
  secretsOfServer,
  secretsOfVariables,
  type UserServer,
} from "./connections/user-servers.ts";
import type { AcpDefinition } from "./definition.ts";
import { UNKNOWN_LOGIN, type LoginStatus } from "../login.ts";
import { startLogin } from "./login/start-login.ts";
import {
  deleteSession,
  openSession,
  type OpenedSession,
  type OpenSession,
} from "./open-session.ts";
import { commandOf, programOf, searchPathOf } from "./process/agent-command.ts";
import {
  agentEnvironment,
  MARKER_VARIABLE,
  ownVariables,
  secretsOf,
  writeMarker,
  type Marker,
} from "./process/agent-environment.ts";
import { findProgram } from "./process/find-program.ts";
import { programVersion } from "./process/program-version.ts";
import { sweepAgents, type SweepResult } from "./process/process-sweep.ts";
import { spawnAgent } from "./process/spawn-agent.ts";
import { stopAgent } from "./process/stop-agent.ts";
import { createAgentTranslator } from "./translate/subagents.ts";
import type { Translator } from "./translate/translate.ts";
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
  readonly translator?: (redactor: Redactor) => Translator;
  /** All secrets of the server; those of the definition and of the agent's tools are added. */
  readonly secrets?: Secrets;
  readonly sandbox?: Sandbox;
  /** Other users in whose repositories the agent's Git works. */
  readonly gitOwners?: GitOwners;
  /** Tools for the agent of a session. */
  readonly toolsFor?: (sessionId: string) => Promise<readonly ToolServer[]>;
  /** The variables of the server that MCP servers of sessions may use. */
  readonly mcpVariables?: readonly string[];
  /** Called if processes of an agent could not be killed. */
  readonly onLeftovers?: (result: SweepResult) => void;
}

/** Starts agents of one program that speaks the Agent Client Protocol over stdio. */
export function createAcpProvider(given: AcpProviderOptions): Provider {
  const { definition, environment, secrets = openSecrets() } = given;
  const options = { ...given, secrets };
  secrets.keep(secretsOf(environment, definition));
  secrets.keep(secretsOfConnections(given));
  let latest: LatestAgent | null = null;
  let loginStatus = UNKNOWN_LOGIN;
  const onLoginStatus = (status: LoginStatus): void => {
    loginStatus = status;
  };
  return {
    name: definition.name,
    asks: definition.asks,
    mode: definition.mode,
    describe: () => Promise.resolve(describe(options, latest, loginStatus)),
    startAgent: (request) =>
      startAgent(options, request, {
        onLoginStatus,
        onStarted: (started) => (latest = started),
      }),
    startLogin: (request) => startLogin(options, { ...request, onLoginStatus }),
    deleteSession: (request) => deleteOwnSession(options, request),
  };
}

interface LatestAgent {
  /** Agents announce their commands some time after they started, so `link.about` is read when it is needed. */
  readonly link: AcpLink;
  readonly session: OpenedSession;
}

type OpenOptions = AcpProviderOptions & { readonly secrets: Secrets };

function describe(
  options: OpenOptions,
  latest: LatestAgent | null,
  loginStatus: LoginStatus,
): ProviderDescription {
  const { definition } = options;
  const { name, title, install, login } = definition;
  const command = commandOf(options);
  const program = findProgram(command[0] ?? "", searchPathOf(options));
  const configured = definition.models.map((id): Choice => ({ id, name: id }));
  const about = latest?.link.about;
  const offered = about?.model.choices.filter(({ id }) => !definition.models.includes(id)) ?? [];
  return {
    name,
    title,
    installed: program !== null,
    // The interpreter of a configured script has a version of its own.
    version: program === null || install === null ? null : programVersion(program),
    command: options.secrets.redactor.json(command),
    install,
    login,
    loginStatus,
    loginMethods: latest?.link.loginMethods ?? [],
    canLogOut: latest?.session.capabilities.logout ?? false,
    models: [...configured, ...offered],
    modes: about?.mode.choices ?? [],
    commands: about?.commands ?? [],
    capabilities: latest?.session.capabilities.raw ?? null,
  };
}

interface StartHooks {
  readonly onStarted: (agent: LatestAgent) => void;
  readonly onLoginStatus: (status: LoginStatus) => void;
}

/** A process that speaks the protocol, and everything that is needed to open a session in it and to stop it. */
interface LaunchedAgent {
  readonly link: AcpLink;
  readonly context: OpenSession;
  /** Sentences about connections that it does not get. */
  readonly notices: readonly string[];
  readonly sweep: () => Promise<SweepResult>;
  readonly closeJournal: () => Promise<void>;
}

async function startAgent(
  options: OpenOptions,
  request: StartAgent,
  { onStarted, onLoginStatus }: StartHooks,
): Promise<Agent> {
  const { definition } = options;
  const launched = await launch(options, request, onLoginStatus);
  const { link, sweep, closeJournal } = launched;
  try {
    const session = await openSession(launched.context);
    onStarted({ link, session });
    const notices = [...launched.notices, ...session.notices].map(link.redactor.text);
    return new AcpAgent({
      definition,
      link,
      session: { ...session, notices },
      sweep,
      closeJournal,
    });
  } catch (error) {
    throw await abandon(launched, error, request.signal);
  }
}

/** Starts a process only to delete a session that it keeps. The process gets no tools and has no journal. */
async function deleteOwnSession(
  options: OpenOptions,
  request: DeleteAgentSession,
): Promise<"deleted" | "not_offered"> {
  const definition = { ...options.definition, tools: false, mcpServers: {} };
  const quiet = { ...options, definition, journalFolder: null };
  const start = { ...request, model: null, onReport: () => undefined };
  const launched = await launch(quiet, start);
  try {
    const outcome = await deleteSession(launched.context);
    await stop(launched);
    return outcome;
  } catch (error) {
    throw await abandon(launched, error, request.signal);
  }
}

async function launch(
  options: OpenOptions,
  request: StartAgent,
  onLoginStatus: (status: LoginStatus) => void = () => {},
): Promise<LaunchedAgent> {
  const { definition, environment, owner, clientVersion, secrets, clock = Date.now } = options;
  const { workspace, sessionId } = request;
  const times = { ...ACP_TIMES, ...options.times };
  const marker = { owner, agent: randomUUID() };
  const toolServers = await toolServersOf(options, sessionId, marker);
  if (request.signal.aborted) throw abortFault(definition, request.signal);
  const ownEnvironment = agentEnvironment(environment, definition, marker, workspace.path);
  const { gitOwners = [] } = options;
  const env = {
    ...ownEnvironment,
    ...(await ownershipVariables(workspace.path, gitOwners, ownEnvironment)),
  };
  const { redactor } = secrets;
  const { connections: { mcpServers = {}, directories = [] } = {} } = request;
  const users = findUserServers({
    configured: definition.mcpServers,
    own: mcpServers,
    allowed: options.mcpVariables ?? [],
    environment,
    searchPath: env["PATH"],
    workspace: workspace.path,
    network: options.sandbox?.state.active === true ? definition.network : null,
  });
  const userServers = users.servers.map((server) => withMarker(server, marker));
  for (const { env: own } of toolServers)
    for (const secret of secretsOfOwn(own)) secrets.note(secret);
  for (const server of users.servers)
    for (const secret of secretsOfServer(server)) secrets.note(secret);
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
  const journal = folder === null ? null : openJournal({ folder, sessionId, redactor, clock });
  const sweep = async (): Promise<SweepResult> => {
    await enclosure?.killAll();
    const result = await sweepAgents(marker);
    if (result.left.length > 0) options.onLeftovers?.(result);
    return result;
  };
  const stderr = createLineReader({
    onLine: (line) => journal?.write("stderr", line),
    onOversize: (head) => journal?.write("stderr", head),
    maxBytes: 64 * 1024,
  });
  const process = await spawnAgent({
    command: enclosure?.command ?? { program, args, env },
    isEnclosed: enclosure?.isBubblewrap ?? false,
    workspace,
    directories,
    onStderr: stderr.push,
  }).catch(async (error: unknown) => {
    enclosure?.close();
    await enclosure?.killAll();
    throw error;
  });
  void process.exited.then(() => enclosure?.close());
  request.onProcess?.(process);
  const link = new AcpLink({
    title: definition.title,
    protocol: definition.protocol,
    process,
    translator: (options.translator ?? createAgentTranslator)(redactor),
    journal,
    redactor,
    times,
    onSecret: (answer) => secretsOfAnswer(answer).forEach(secrets.note),
    onReport: request.onReport,
    onLoginStatus,
  });
  void process.exited.then(() => stderr.end());
  const closeJournal = async (): Promise<void> => journal?.close();
  const context = {
    link,
    definition,
    request,
    connections: {
      toolServers: reachable(enclosure?.toolServers ?? toolServers, enclosure?.command.env ?? env),
      userServers,
      directories,
    },
    environment: env,
    clientVersion,
    clock,
  };
  return { link, context, notices: users.notices, sweep, closeJournal };
}

/** Stops a process that did not start as it should, and returns the fault. Nothing may be left running, even after a bug. */
async function abandon(
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

async function stop({ link, sweep, closeJournal }: LaunchedAgent): Promise<void> {
  const { process, times } = link;
  const urgency = AbortSignal.abort();
  await stopAgent({ process, cancel: null, close: null, sweep, times, urgency });
  await closeJournal();
}

/** The secrets that are known before the first agent starts. */
function secretsOfConnections({
  definition: { mcpServers },
  environment,
  mcpVariables = [],
}: AcpProviderOptions): readonly string[] {
  const servers = Object.values(mcpServers);
  return [
    ...servers.flatMap((server) =>
      secretsOfOwn(server.type === "stdio" ? server.env : server.headers),
    ),
    ...secretsOfVariables([...mcpVariables, ...servers.flatMap(variablesOf)], environment),
  ];
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

function withMarker(server: UserServer, marker: Marker): UserServer {
  if (server.type !== "stdio") return server;
  return { ...server, env: { ...server.env, [MARKER_VARIABLE]: writeMarker(marker) } };
}

/** They get the marker explicitly, because agents do not pass on their own environment. */
async function toolServersOf(
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
