import type {
  InitializeRequest,
  LoadSessionRequest,
  McpServerStdio,
  NewSessionRequest,
} from "@agentclientprotocol/sdk";
import type { Json } from "../../domain/json.ts";
import { AgentFault, type ToolServer } from "../provider.ts";
import type { AcpLink } from "./acp-link.ts";
import { withLogin } from "./authenticate.ts";
import { parseCapabilities, type Capabilities } from "./capabilities.ts";
import type { AcpDefinition } from "./definition.ts";
import { looseNumber, looseObject } from "./wire/loose.ts";
import { PeerFault, RpcError } from "./wire/rpc-error.ts";
import { setMode, setModel } from "./session-settings.ts";

export interface OpenSession {
  readonly link: AcpLink;
  readonly definition: AcpDefinition;
  readonly folder: string;
  readonly model: string | null;
  readonly resume: Json;
  readonly toolServers: readonly ToolServer[];
  readonly environment: Readonly<Record<string, string>>;
  readonly clientVersion: string;
  readonly clock: () => number;
  readonly startMs: number;
  readonly signal: AbortSignal;
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly memory: "none" | "resumed" | "loaded";
  readonly capabilities: Capabilities;
}

/** Greets an agent and gets it a session: its earlier one where it can be had, a new one otherwise. */
export async function openSession(request: OpenSession): Promise<OpenedSession> {
  const { link, definition, model, startMs, signal } = request;
  const capabilities = await greet(request);
  const opened =
    (await takeUp(request, capabilities)) ??
    (await loggedIn(request, capabilities, () => create(request)));
  const setting = {
    link,
    title: definition.title,
    sessionId: opened.sessionId,
    options: { timeoutMs: startMs, signal },
  };
  if (definition.mode !== null) await setMode(setting, definition.mode);
  if (model !== null) await setModel(setting, model);
  return { ...opened, capabilities };
}

type Opened = Omit<OpenedSession, "capabilities">;

async function greet({
  link,
  definition,
  clientVersion,
  startMs,
  signal,
}: OpenSession): Promise<Capabilities> {
  // Neither files nor terminals: agents share the disk, and some stop working when they are offered them.
  const hello: InitializeRequest = {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "holdfast", title: "Holdfast", version: clientVersion },
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
    },
  };
  const answer = looseObject(
    await link.request("initialize", hello, { timeoutMs: startMs, signal }),
  );
  const version = answer?.["protocolVersion"] ?? PROTOCOL_VERSION;
  if (answer === null || version !== PROTOCOL_VERSION) {
    const spoken = answer === null ? "no version it names" : `version ${JSON.stringify(version)}`;
    throw new AgentFault(
      "agent_unintelligible",
      `${definition.title} speaks ${spoken} of the protocol, not ${PROTOCOL_VERSION}`,
    );
  }
  return parseCapabilities(answer);
}

/** Null when there is nothing to take up, or the agent cannot. */
async function takeUp(request: OpenSession, capabilities: Capabilities): Promise<Opened | null> {
  const { definition, clock } = request;
  const before = parseResumeData(request.resume);
  if (before === null) return null;
  if (capabilities.resume) {
    const resumed = await attempt(() =>
      loggedIn(request, capabilities, () => ask(request, "session/resume", before.sessionId)),
    );
    if (resumed) return { ...before, memory: "resumed" };
  }
  const age = clock() - before.createdAt;
  if (!capabilities.load || age < definition.loadableAfterMs) return null;
  const loaded = await attempt(() =>
    loggedIn(request, capabilities, () => ask(request, "session/load", before.sessionId)),
  );
  return loaded ? { ...before, memory: "loaded" } : null;
}

async function ask(request: OpenSession, method: string, sessionId: string): Promise<void> {
  const { link, folder, toolServers, startMs, signal } = request;
  const mcpServers = toolServers.map(toMcpServer);
  const params: LoadSessionRequest = { sessionId, cwd: folder, mcpServers };
  link.learn(await link.request(method, params, { timeoutMs: startMs, signal }));
  await link.settle();
  link.route.follow(sessionId);
}

async function create({
  link,
  definition,
  folder,
  toolServers,
  clock,
  startMs,
  signal,
}: OpenSession): Promise<Opened> {
  link.route.expect();
  const params: NewSessionRequest = { cwd: folder, mcpServers: toolServers.map(toMcpServer) };
  const created = await link.request("session/new", params, { timeoutMs: startMs, signal });
  const sessionId = looseObject(created)?.["sessionId"];
  if (typeof sessionId !== "string" || sessionId === "") {
    throw new AgentFault(
      "agent_unintelligible",
      `${definition.title} made a session without an id`,
    );
  }
  link.learn(created);
  link.route.follow(sessionId);
  return { sessionId, createdAt: clock(), memory: "none" };
}

function toMcpServer({ name, command, args, env }: ToolServer): McpServerStdio {
  const variables = Object.entries(env).map(([key, value]) => ({ name: key, value }));
  return { name, command, args: [...args], env: variables };
}

/** False when the agent says no, or nothing: then a new session is worth a try. */
async function attempt(what: () => Promise<void>): Promise<boolean> {
  try {
    await what();
    return true;
  } catch (error) {
    if (error instanceof RpcError) return false;
    if (error instanceof PeerFault && error.code !== "closed" && error.code !== "aborted") {
      return false;
    }
    throw error;
  }
}

function loggedIn<Value>(
  request: OpenSession,
  { authMethods }: Capabilities,
  what: () => Promise<Value>,
): Promise<Value> {
  const { link, definition, environment, startMs, signal } = request;
  const login = {
    link,
    title: definition.title,
    methods: authMethods,
    configured: definition.authMethod,
    environment,
    startMs,
    signal,
  };
  return withLogin(login, what);
}

/** What is kept of a session to take it up again. */
export function resumeDataOf({ sessionId, createdAt }: Opened): Json {
  return { sessionId, createdAt };
}

function parseResumeData(value: Json): { sessionId: string; createdAt: number } | null {
  const data = looseObject(value);
  const sessionId = data?.["sessionId"];
  if (typeof sessionId !== "string") return null;
  return { sessionId, createdAt: looseNumber(data?.["createdAt"]) ?? 0 };
}

const PROTOCOL_VERSION = 1;
