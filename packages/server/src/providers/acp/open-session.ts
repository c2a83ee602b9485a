import type {
  InitializeRequest,
  LoadSessionRequest,
  NewSessionRequest,
} from "@agentclientprotocol/sdk";
import type { AgentOffer } from "../../domain/settings/agent-offer.ts";
import type { Json } from "../../domain/json.ts";
import { AgentFault, type StartAgent } from "../provider.ts";
import type { AcpLink } from "./acp-link.ts";
import { parseCapabilities, type Capabilities } from "./capabilities.ts";
import { sessionParams, unsupported, type AgentConnections } from "./connections/session-params.ts";
import type { AcpDefinition } from "./definition.ts";
import { toLoginMethod, type AuthMethod } from "./login/auth-method.ts";
import { TERMINAL_LOGINS } from "./login/client-logins.ts";
import { applySetting } from "./session-settings.ts";
import { offerOf } from "./translate/about.ts";
import { looseNumber, looseObject } from "./wire/loose.ts";
import { PeerFault, RPC_CODES, RpcError } from "./wire/rpc-error.ts";

/** An agent that has been started. */
export interface StartedAgent {
  readonly link: AcpLink;
  readonly definition: AcpDefinition;
  readonly request: Pick<
    StartAgent,
    "workspace" | "model" | "mode" | "resume" | "isFork" | "signal"
  >;
  readonly environment: Readonly<Record<string, string>>;
  readonly clientVersion: string;
  readonly clock: () => number;
}

export interface OpenSession extends StartedAgent {
  /** May not be known before the server can be reached. */
  readonly connections: Promise<AgentConnections>;
  /** What a spare agent said when it was initialized. */
  readonly initialized?: Capabilities;
}

interface ConnectedAgent extends StartedAgent {
  readonly connections: AgentConnections;
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly memory: "none" | "resumed" | "loaded" | "forked";
  readonly capabilities: Capabilities;
  /** What a new session offered before anything was set; null if an earlier one was opened. */
  readonly offered: AgentOffer | null;
  /** Sentences about connections that the agent does not have. */
  readonly notices: readonly string[];
}

type NewSession = Omit<OpenedSession, "capabilities" | "offered" | "notices">;

/** Initializes an agent and opens a session: the earlier one if possible, otherwise a new one. */
export async function openSession(started: OpenSession): Promise<OpenedSession> {
  const { link, definition, request } = started;
  const capabilities = started.initialized ?? (await initialize(started));
  const context = { ...started, connections: await started.connections };
  const session =
    (await reopen(context, capabilities)) ??
    (await withLogin(context, capabilities, () => create(context, capabilities)));
  const { sessionId } = session;
  const { model, signal } = request;
  const offered = session.memory === "none" ? offerOf(link.about) : null;
  // Modes depend on the model.
  if (model !== null) await applySetting(link, sessionId, { name: "model", value: model }, signal);
  const mode = request.mode ?? definition.mode;
  // Some agents do not report that they reopened a session in another mode, so a configured one is always set.
  const isSet = definition.mode === null && link.about.mode.current === mode;
  if (mode !== null && !isSet)
    await applySetting(link, sessionId, { name: "mode", value: mode }, signal);
  link.reportsChanges = true;
  const notices = unsupported(definition.title, context.connections, capabilities);
  return { ...session, capabilities, offered, notices };
}

/** Deletes the session in `request.resume` from what the agent keeps, without opening it. */
export async function deleteSession(context: StartedAgent): Promise<"deleted" | "not_offered"> {
  const capabilities = await initialize(context);
  const kept = parseResumeData(context.request.resume);
  if (!capabilities.delete || kept === null) return "not_offered";
  const { sessionId } = kept;
  await withLogin(context, capabilities, () => ask(context, "session/delete", { sessionId }));
  return "deleted";
}

/** Sends a request that must be answered in the time of a start. */
function ask({ link, request }: StartedAgent, method: string, params: object): Promise<unknown> {
  return link.peer.request(method, params, {
    timeoutMs: link.times.startMs,
    signal: request.signal,
  });
}

export async function initialize(context: StartedAgent): Promise<Capabilities> {
  // No files and no terminals: agents share the disk, and some stop working if these are offered.
  const params: InitializeRequest = {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "holdfast", title: "Holdfast", version: context.clientVersion },
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {}, url: {} },
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      ...SUBAGENTS,
      ...TERMINAL_LOGINS,
      _meta: { ...TERMINAL_LOGINS._meta, ...TERMINAL_OUTPUT },
    },
  };
  const result = looseObject(await ask(context, "initialize", params));
  const version = result?.["protocolVersion"] ?? PROTOCOL_VERSION;
  if (result === null || version !== PROTOCOL_VERSION) {
    const theirs = result === null ? "an unknown version" : `version ${JSON.stringify(version)}`;
    throw new AgentFault(
      "agent_unintelligible",
      `${context.definition.title} speaks ${theirs} of the protocol, not ${PROTOCOL_VERSION}`,
    );
  }
  const capabilities = parseCapabilities(result);
  context.link.loginMethods = capabilities.authMethods.map((method) =>
    toLoginMethod(context.definition.name, method),
  );
  return capabilities;
}

/** Null if there is no earlier session, or the agent cannot open it again. */
async function reopen(
  context: ConnectedAgent,
  capabilities: Capabilities,
): Promise<NewSession | null> {
  const { definition, clock, request } = context;
  const earlier = parseResumeData(request.resume);
  if (earlier === null) return null;
  if (request.isFork === true) return fork(context, capabilities, earlier.sessionId);
  const succeeds = (method: string): Promise<boolean> =>
    isAccepted(() =>
      withLogin(context, capabilities, () =>
        loadSession(context, capabilities, { method, sessionId: earlier.sessionId }),
      ),
    );
  if (capabilities.resume && (await succeeds("session/resume"))) {
    return { ...earlier, memory: "resumed" };
  }
  const age = clock() - earlier.createdAt;
  if (!capabilities.load || age < definition.loadableAfterMs) return null;
  return (await succeeds("session/load")) ? { ...earlier, memory: "loaded" } : null;
}

async function loadSession(
  context: ConnectedAgent,
  capabilities: Capabilities,
  { method, sessionId }: { readonly method: string; readonly sessionId: string },
): Promise<void> {
  const { link, request, connections } = context;
  const params: LoadSessionRequest = {
    sessionId,
    ...sessionParams(request.workspace, connections, capabilities),
  };
  link.learn(await ask(context, method, params));
  await link.settle();
  link.route.follow(sessionId);
}

/** Copies the session of another agent; null if that fails. The original is never opened. */
async function fork(
  context: ConnectedAgent,
  capabilities: Capabilities,
  origin: string,
): Promise<NewSession | null> {
  if (!capabilities.fork) return null;
  const { link, request, connections, clock } = context;
  const params: LoadSessionRequest = {
    sessionId: origin,
    ...sessionParams(request.workspace, connections, capabilities),
  };
  let sessionId: unknown = null;
  await isAccepted(() =>
    withLogin(context, capabilities, async () => {
      const result = await ask(context, "session/fork", params);
      link.learn(result);
      sessionId = looseObject(result)?.["sessionId"];
      // Some agents repeat the history here, too.
      await link.settle();
    }),
  );
  if (typeof sessionId !== "string" || sessionId === "" || sessionId === origin) return null;
  link.route.follow(sessionId);
  return { sessionId, createdAt: clock(), memory: "forked" };
}

async function create(context: ConnectedAgent, capabilities: Capabilities): Promise<NewSession> {
  const { link, definition, request, connections, clock } = context;
  link.route.expect();
  const params: NewSessionRequest = sessionParams(request.workspace, connections, capabilities);
  const result = await ask(context, "session/new", params);
  const sessionId = looseObject(result)?.["sessionId"];
  if (typeof sessionId !== "string" || sessionId === "") {
    throw new AgentFault(
      "agent_unintelligible",
      `${definition.title} created a session without an ID`,
    );
  }
  link.learn(result);
  link.route.follow(sessionId);
  return { sessionId, createdAt: clock(), memory: "none" };
}

/** False if the agent refuses or does not answer: a new session may still work. */
async function isAccepted(attempt: () => Promise<void>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    if (error instanceof RpcError) return false;
    if (error instanceof PeerFault && error.code !== "closed" && error.code !== "aborted") {
      return false;
    }
    throw error;
  }
}

/** If the agent requires a login, logs in without a person if possible, and repeats the attempt. */
async function withLogin<Value>(
  context: StartedAgent,
  capabilities: Capabilities,
  attempt: () => Promise<Value>,
): Promise<Value> {
  try {
    return await attempt();
  } catch (error) {
    if (!isLoginRequired(error)) throw error;
  }
  await logIn(context, capabilities);
  try {
    return await attempt();
  } catch (error) {
    throw isLoginRequired(error) ? loginFault(context, capabilities, error) : error;
  }
}

async function logIn(context: StartedAgent, capabilities: Capabilities): Promise<void> {
  const { definition, environment } = context;
  const usable = capabilities.authMethods.find((method) => isUsable(method, environment));
  const methodId = definition.authMethod ?? usable?.id;
  if (methodId === undefined) throw loginFault(context, capabilities);
  try {
    await ask(context, "authenticate", { methodId });
  } catch (error) {
    throw error instanceof RpcError ? loginFault(context, capabilities, error) : error;
  }
}

function isUsable({ variables }: AuthMethod, environment: OpenSession["environment"]): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  return variables.length > 0 && variables.every((names) => names.some(isSet));
}

function isLoginRequired(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === RPC_CODES.authRequired;
}

function loginFault(
  { definition, link }: StartedAgent,
  { authMethods }: Capabilities,
  cause?: unknown,
): AgentFault {
  const names = authMethods.map(({ name }) => name).join(", ");
  const offer = names === "" ? "it does not say how" : `it offers ${names}`;
  const detail = authMethods.map(({ id, name, description }) =>
    [`${name} (${id})`, ...(description === null ? [] : [description])].join(": "),
  );
  return new AgentFault("agent_needs_login", `${definition.title} requires a login; ${offer}`, {
    detail: detail.join("\n") || null,
    login: link.loginMethods,
    cause,
  });
}

function parseResumeData(value: Json): { sessionId: string; createdAt: number } | null {
  const data = looseObject(value);
  const sessionId = data?.["sessionId"];
  if (typeof sessionId !== "string") return null;
  return { sessionId, createdAt: looseNumber(data?.["createdAt"]) ?? 0 };
}

/** Without this unstable capability, agents hide the work of their sub-agents, or mix it with their own. */
const SUBAGENTS = { subagents: {} };
/** Output of commands that the agent runs itself: as it is printed, unchanged, with the exit code. */
const TERMINAL_OUTPUT = { terminal_output: true, terminal_output_delta: true };
const PROTOCOL_VERSION = 1;
