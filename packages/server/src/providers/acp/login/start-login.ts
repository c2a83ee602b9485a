import { randomUUID } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { InitializeRequest } from "@agentclientprotocol/sdk";
import {
  UNKNOWN_LOGIN,
  type LoginAgent,
  type LoginStatus,
  type StartLogin,
  type TerminalProgram,
} from "../../login.ts";
import { AgentFault } from "../../provider.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { ACP_TIMES, within, type AcpTimes } from "../acp-times.ts";
import { faultOfError, faultOfExit } from "../agent-fault.ts";
import { parseCapabilities, type Capabilities } from "../capabilities.ts";
import { programOf, searchPathOf, type CommandOptions } from "../process/agent-command.ts";
import { agentEnvironment, ownVariables, type Marker } from "../process/agent-environment.ts";
import { findProgram } from "../process/find-program.ts";
import { sweepAgents, type SweepResult } from "../process/process-sweep.ts";
import { spawnAgent, type AgentProcess } from "../process/spawn-agent.ts";
import { stopAgent } from "../process/stop-agent.ts";
import { createFrameCleaner } from "../redact/clean-frame.ts";
import { openVersionedPeer } from "../v2/versioned-peer.ts";
import type { JsonRpcPeer } from "../wire/json-rpc-peer.ts";
import { looseObject } from "../wire/loose.ts";
import { RpcError } from "../wire/rpc-error.ts";
import { toLoginMethod, type AuthMethod } from "./auth-method.ts";
import { TERMINAL_LOGINS } from "./client-logins.ts";
import { parseLoginPage } from "./login-page.ts";
import { parseLoginStatus, STATUS_METHODS } from "./login-status.ts";

export interface LoginOptions extends CommandOptions {
  readonly owner: string;
  readonly clientVersion: string;
  readonly secrets: Secrets;
  readonly sandbox?: Sandbox;
  readonly times?: Partial<AcpTimes>;
}

export interface LoginRequest extends StartLogin {
  readonly onLoginStatus: (status: LoginStatus) => void;
}

/** How long a new agent may take to report who is logged in. */
const STATUS_MS = 10_000;

/** With these, a program at the terminal finds the browser of the person. */
const BROWSER_VARIABLES = [
  "BROWSER",
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "NO_BROWSER",
  "SSH_CLIENT",
  "SSH_CONNECTION",
  "SSH_TTY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
] as const;

/** Starts an agent in an empty folder, without a session and without a journal: its messages contain codes. */
export async function startLogin(
  options: LoginOptions,
  request: LoginRequest,
): Promise<LoginAgent> {
  const { definition, sandbox } = options;
  const { isAtTerminal, signal } = request;
  const times = { ...ACP_TIMES, ...options.times };
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-login-")));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  const marker = { owner: options.owner, agent: randomUUID() };
  try {
    const env = environmentOf(options, { isAtTerminal, marker, folder });
    const workspace = { path: folder, descriptor: null };
    const [program, ...args] = programOf(options, folder);
    const enclosure = isAtTerminal
      ? null
      : ((await sandbox?.enclose({
          workspace,
          command: [program, ...args],
          environment: env,
          mounts: definition.mounts,
          toolServers: [],
          network: definition.network,
          given: ownVariables(options.environment, definition),
        })) ?? null);
    const process = await spawnAgent({
      command: enclosure?.command ?? { program, args, env },
      isEnclosed: enclosure?.isBubblewrap ?? false,
      workspace,
    }).catch(async (error: unknown) => {
      enclosure?.close();
      await enclosure?.killAll();
      throw error;
    });
    void process.exited.then(() => enclosure?.close());
    const sweep = async (): Promise<SweepResult> => {
      await enclosure?.killAll();
      return sweepAgents(marker);
    };
    const stop = async (): Promise<void> => {
      const urgency = AbortSignal.abort();
      await stopAgent({ process, cancel: null, close: null, sweep, times, urgency });
      removeFolder();
    };
    const connection = connect(options, request, process);
    try {
      const capabilities = await connection.initialize(times.startMs);
      const terminal = { options, program, args, env };
      return loginAgent(connection, capabilities, { ...terminal, request, stop });
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    removeFolder();
    if (!signal.aborted) throw error;
    throw new AgentFault("agent_not_started", `${definition.title} was aborted while it started`);
  }
}

function environmentOf(
  { definition, environment }: LoginOptions,
  where: { readonly isAtTerminal: boolean; readonly marker: Marker; readonly folder: string },
): Record<string, string> {
  const { isAtTerminal, marker, folder } = where;
  const passes = isAtTerminal ? [...definition.passes, ...BROWSER_VARIABLES] : definition.passes;
  const env = agentEnvironment(environment, { ...definition, passes }, marker, folder);
  // Otherwise the agent opens a browser on the server's machine.
  return isAtTerminal ? env : { ...env, NO_BROWSER: "1" };
}

interface Connection {
  readonly status: LoginStatus;
  /** Resolves with the next status that the agent reports. */
  nextStatus(): Promise<LoginStatus>;
  initialize(timeoutMs: number): Promise<Capabilities>;
  ask(method: string, params: object, timeoutMs?: number): Promise<unknown>;
}

function connect(
  { definition, clientVersion, secrets }: LoginOptions,
  { signal, onPage, onLoginStatus }: LoginRequest,
  process: AgentProcess,
): Connection {
  const { title } = definition;
  let status = UNKNOWN_LOGIN;
  let next = Promise.withResolvers<LoginStatus>();
  const learn = (reported: LoginStatus): void => {
    status = reported;
    onLoginStatus(reported);
    next.resolve(reported);
    next = Promise.withResolvers<LoginStatus>();
  };
  const peer: JsonRpcPeer = openVersionedPeer({
    protocol: definition.protocol,
    title,
    input: process.stdout,
    output: process.stdin,
    handlers: {
      "elicitation/create": async (params) => {
        const page = parseLoginPage(params);
        if (page === null) return { action: "decline" };
        onPage(page);
        return { action: "accept" };
      },
    },
    onNotification: (method, params) => {
      if (STATUS_METHODS.has(method)) learn(parseLoginStatus(params));
    },
    clean: createFrameCleaner(secrets.redactor),
  });
  void process.exited.then(() => peer.finish());
  const ask = async (method: string, params: object, timeoutMs?: number): Promise<unknown> => {
    try {
      return await peer.request(method, params, {
        signal,
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
    } catch (error) {
      if (error instanceof AgentFault) throw error;
      if (error instanceof RpcError) throw faultOfError(title, error);
      if (signal.aborted) throw new AgentFault("agent_failed", "The login was stopped.");
      const exit = await within(1_000, process.exited);
      if (exit !== null) throw faultOfExit(title, exit, null);
      throw new AgentFault("agent_unresponsive", `${title} did not reply to ${method}`);
    }
  };
  return {
    get status() {
      return status;
    },
    nextStatus: () => next.promise,
    ask,
    initialize: async (timeoutMs) => {
      const params: InitializeRequest = {
        protocolVersion: 1,
        clientInfo: { name: "holdfast", title: "Holdfast", version: clientVersion },
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          elicitation: { url: {} },
          ...TERMINAL_LOGINS,
        },
      };
      return parseCapabilities(looseObject(await ask("initialize", params, timeoutMs)) ?? {});
    },
  };
}

interface Terminal {
  readonly options: LoginOptions;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly request: LoginRequest;
  readonly stop: () => Promise<void>;
}

function loginAgent(
  connection: Connection,
  capabilities: Capabilities,
  terminal: Terminal,
): LoginAgent {
  const { definition } = terminal.options;
  const { authMethods, authStatus, logout } = capabilities;
  const methodOf = (id: string): AuthMethod => {
    const method = authMethods.find((each) => each.id === id);
    if (method !== undefined) return method;
    throw new AgentFault("agent_failed", `${definition.title} has no login method ${id}`);
  };
  const reportsStatus =
    looseObject(looseObject(capabilities.raw["agentCapabilities"])?.["_meta"])?.["authStatus"] !==
    undefined;
  return {
    methods: authMethods.map((method) => toLoginMethod(definition.name, method)),
    canLogOut: logout,
    isReady: (id) =>
      methodOf(id).variables.every((names) =>
        names.some((name) => (terminal.env[name] ?? "") !== ""),
      ),
    programOf: (id) => terminalProgram(methodOf(id), terminal),
    logIn: async (id) => void (await connection.ask("authenticate", { methodId: methodOf(id).id })),
    logOut: async () => void (await connection.ask("logout", {}, 60_000)),
    status: async () => {
      if (authStatus) {
        const status = parseLoginStatus(await connection.ask("auth/status", {}, STATUS_MS));
        terminal.request.onLoginStatus(status);
        return status;
      }
      if (!reportsStatus || connection.status.state !== "unknown") return connection.status;
      return (await within(STATUS_MS, connection.nextStatus())) ?? connection.status;
    },
    stop: terminal.stop,
  };
}

function terminalProgram(
  { terminal: auth, name }: AuthMethod,
  { options, program, args, env }: Terminal,
): TerminalProgram {
  if (auth === null) throw new Error(`unreachable: ${name} is no login at a terminal`);
  const own = { ...env, ...auth.env };
  if (auth.command === null) return { program, args: [...args, ...auth.args], env: own };
  // OpenCode names its program without a folder, and the configured one may be elsewhere.
  const isOwn = path.basename(program) === auth.command;
  const found = isOwn ? program : findProgram(auth.command, searchPathOf(options));
  if (found !== null) return { program: found, args: auth.args, env: own };
  throw new AgentFault("agent_not_installed", `The program ${auth.command} was not found`);
}
