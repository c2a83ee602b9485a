import type { AgentOffer } from "../domain/settings/agent-offer.ts";
import type { OptionValues, RunSettings } from "../domain/settings/agent-settings.ts";
import type { ElicitationAnswer } from "../domain/elicitation/check-answer.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { McpServers } from "../domain/mcp-server.ts";
import type { Message, MessageContent } from "../domain/message.ts";
import type { SuspensionKind } from "../domain/suspension.ts";
import type { LoginAgent, LoginMethod, StartLogin } from "./login.ts";
import type { OutputFiles } from "./output-files.ts";
import type { ProviderDescription } from "./provider-description.ts";

/** A configured kind of agent. */
export interface Provider {
  readonly name: string;
  /** Whether its agents ask before they make changes; null if unknown. Absent if they cannot make changes. */
  readonly asks?: boolean | null;
  /** The configured mode of new sessions; null or absent if there is none. */
  readonly mode?: string | null;
  /** Absent if its agents leave no output in files. */
  readonly outputFiles?: OutputFiles;
  /** Starts nothing. */
  describe(): Promise<ProviderDescription>;
  /** Returns an agent that is ready for its first prompt. If it throws an `AgentFault`, nothing is left running. */
  startAgent(request: StartAgent): Promise<Agent>;
  /**
   * Goes on with an agent of an earlier server. Null if that is not possible: then nothing is left of it. Absent if no agent
   * of the provider outlives a server.
   */
  takeUp?(request: TakeUpAgent): Promise<Agent | null>;
  /**
   * Starts an agent that gets its session later, in a `StartAgent`. Null if that is not possible now. Absent if an agent of
   * the provider cannot be started without its session.
   */
  startSpare?(request: Pick<StartAgent, "workspace" | "signal">): Promise<SpareAgent | null>;
  /** Starts an agent only to log in or out. Absent if the provider has no logins. */
  startLogin?(request: StartLogin): Promise<LoginAgent>;
  /**
   * Deletes a session that an agent keeps, in a process that is started only for this. Throws an `AgentFault`. Absent if
   * the agents of the provider keep no sessions.
   */
  deleteSession?(request: DeleteAgentSession): Promise<"deleted" | "not_offered">;
}

export type DeleteAgentSession = Pick<StartAgent, "sessionId" | "workspace" | "resume" | "signal">;

export interface StartAgent {
  readonly sessionId: string;
  readonly workspace: Workspace;
  readonly model: string | null;
  /** The mode that the session keeps; absent or null for a session that has none yet, which gets the configured mode. */
  readonly mode?: string | null;
  /** Tools of the session's client. A call is reported as `wants`, and the client answers it. */
  readonly tools?: readonly ToolDefinition[];
  /** The user's MCP servers and the verified further directories of the session. */
  readonly connections?: StartConnections;
  /** The `resumeData` of an earlier agent of this provider; null starts a new session. */
  readonly resume: Json;
  /** The session in `resume` belongs to somebody else: the agent continues in a copy, or starts a new session. */
  readonly isFork?: boolean;
  /** Becomes the agent if it fits, and is stopped otherwise. */
  readonly spare?: SpareAgent | null;
  readonly onReport: OnReport;
  /** Called as soon as the process exists, even if the start fails later. */
  readonly onProcess?: (process: AgentProcess) => void;
  readonly signal: AbortSignal;
}

/**
 * Called for each report, in order, from before the agent can be prompted until it has exited. If it returns a promise, no
 * more output is read until that settles. `place`: only of an agent that outlives the server.
 */
export type OnReport = (report: AgentReport, place?: ReportPlace) => Promise<void> | undefined;

/** Where a report comes in the output of an agent. */
export interface ReportPlace extends OutputPlace {
  /** An earlier server has stored it. It is repeated, because others build on it. */
  readonly isStored: boolean;
}

export interface OutputPlace {
  /** The ID of the agent. */
  readonly agent: string;
  /** The number of bytes of its output up to the end of the message. */
  readonly offset: number;
  /** The number of the report among those of the message, and of what follows from it. */
  readonly index: number;
}

export interface TakeUpAgent extends Pick<
  StartAgent,
  "sessionId" | "onReport" | "onProcess" | "signal"
> {
  /** The ID of the agent. */
  readonly agent: string;
  /** The last report that is stored; null if none is. */
  readonly stored: OutputPlace | null;
}

export interface StartConnections {
  readonly mcpServers: McpServers;
  readonly directories: readonly Workspace[];
}

/** A process of a provider that waits for its session. */
export interface SpareAgent {
  /** The folder in which it was started. */
  readonly folder: string;
  readonly isGone: boolean;
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

/** The process of an agent. */
export interface AgentProcess {
  /** Null if the agent has no process of its own. */
  readonly pid: number | null;
  readonly exited: Promise<Pick<AgentExit, "code" | "signal">>;
}

/** An MCP server with Holdfast's own tools, which an agent starts and talks to over stdio. */
export interface ToolServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Most of the values are secrets: see `secretsOfOwn`. */
  readonly env: Readonly<Record<string, string>>;
  /** The variable with the address of our API that the program calls. A sandbox gives it another address. */
  readonly apiVariable?: string;
  /** The same tools without a program, for agents that take addresses. */
  readonly address?: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of an object. */
  readonly inputSchema: JsonObject;
}

/** The verified folder of the repository. The open descriptor identifies it even if the path is replaced. */
export interface Workspace {
  readonly path: string;
  readonly descriptor: number | null;
}

/** A live agent process with one conversation. */
export interface Agent {
  readonly provider: string;
  readonly pid: number;
  /** How it knows the earlier conversation; `told`: each prompt contains the history. */
  readonly memory: "none" | "resumed" | "loaded" | "forked" | "told";
  readonly supportsResume: boolean;
  /** Sentences about connections of the session that it does not have. */
  readonly notices?: readonly string[];
  /** The `resume` of a later `StartAgent`. */
  readonly resumeData: Json;
  /** What it offers, with its current values; absent if nothing can be chosen. */
  readonly offer?: AgentOffer;
  /** What it offered in a new session before anything was set; absent or null if it reopened one. */
  readonly offered?: AgentOffer | null;
  /** Sets what differs, between prompts. Throws an `AgentFault` if it refuses; kept options that it refuses are skipped. */
  apply?(wanted: WantedSettings): Promise<void>;
  /** One at a time. Resolves when the agent has finished; throws an `AgentFault`. */
  prompt(prompt: Prompt): Promise<PromptEnd>;
  /** For an agent that is `told`: how many earlier messages (`given`) of all (`of`) fit into the prompt. */
  roomFor?(prompt: Prompt): { readonly given: number; readonly of: number };
  /**
   * Gives the prompt that is at work another message, once for each `messageId`. Never throws. Absent if the agent cannot take
   * one.
   */
  steer?(parts: readonly MessageContent[], messageId: string): Promise<SteerReply>;
  /**
   * The note of the last prompt, if an earlier server has given it to the agent. The next `prompt` is then this prompt: it is
   * not given again. Null or absent if there is none.
   */
  readonly openPrompt?: JsonObject | null;
  /** Whether it goes on when the server ends. */
  readonly outlives?: boolean;
  /** Everything that the agent said is stored, and it has exited. */
  forget?(): void;
  /** Why an agent that outlives servers was ended; null if it was not, or ended by itself. */
  readonly endedBy?: "unattended" | "lease" | "host" | null;
  /** Answers a `permission` or `elicitation` report; false if the agent no longer waits for it. */
  answer(requestId: string, answer: AgentAnswer): boolean;
  /** Resolves when the agent has had the time to say its last words about its last prompt. They would count to the next one. */
  readonly untilSilent?: () => Promise<void>;
  /** Asks the agent to end its prompt. `ignored`: it did not in time and must be stopped. */
  cancel(): Promise<"settled" | "ignored">;
  /** Stops the process and everything it started, gently unless `urgent`. Resolves when nothing is left. */
  stop(options?: { readonly urgent?: boolean }): Promise<void>;
  /** Resolves when the process has exited and its last output has been read. */
  readonly exited: Promise<AgentExit>;
  /** True if it accepts no prompts: it has exited, or closed its pipes and is being stopped. `exited` resolves later. */
  readonly isGone: boolean;
}

/** `refused`: the agent did not take the message. `unknown`: it may have taken it. */
export type SteerReply = "injected" | "refused" | "unknown";

export interface Prompt {
  /** The stored parts of a message, such as `{type:"text",text}` or an image. */
  readonly parts: readonly MessageContent[];
  readonly model: string | null;
  /** For an agent that is `told`: all earlier messages. */
  readonly history?: readonly Message[];
  /** For an agent that is `told`: the messages of this run so far. */
  readonly begun?: readonly Message[];
  /** A later server that takes the agent up gets it as `openPrompt`. */
  readonly note?: JsonObject;
  /** Answers to the agent's requests since its last prompt. */
  readonly answers?: readonly PromptAnswer[];
}

export interface PromptAnswer {
  /** From the `wants` report; null if the question came from elsewhere. */
  readonly callId: string | null;
  readonly kind: SuspensionKind;
  /** Null if the request expired or was withdrawn. */
  readonly answer: Json;
}

export interface WantedSettings {
  readonly model: string | null;
  /** Null leaves the mode as it is. */
  readonly mode: string | null;
  readonly options: OptionValues;
  /** Of the current run only. They take precedence. */
  readonly forRun?: RunSettings;
}

/** Values that the agent changed itself. */
export interface ChangedByAgent extends RunSettings {
  readonly model?: string;
}

export interface PromptEnd {
  readonly stopReason: string;
  readonly usage: JsonObject | null;
}

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of its stderr. */
  readonly stderr: string;
}

export type PermissionAnswer =
  | { readonly outcome: "selected"; readonly optionId: string }
  | { readonly outcome: "cancelled" };

export type AgentAnswer = PermissionAnswer | ElicitationAnswer;

/** One piece of output of an agent. */
export type AgentReport =
  /** Text that continues the previous text report if voice and part are the same. */
  | {
      readonly report: "text";
      readonly voice: "answer" | "thought";
      readonly part: string | null;
      readonly text: string;
      /** The tool call of the sub-agent that says it. Other reports have it as `parent` of their content. */
      readonly parent?: string;
    }
  /** A complete message, such as an image, a link or a notice. */
  | { readonly report: "message"; readonly content: MessageContent }
  /** The whole plan, which replaces the previous one. */
  | { readonly report: "plan"; readonly content: MessageContent }
  /** The current state of a tool call; it does not change after `ended`. */
  | {
      readonly report: "tool";
      readonly callId: string;
      readonly content: MessageContent;
      readonly ended: boolean;
    }
  /** Text that continues the output of a tool call: of the terminal that is last in its reported `output`. */
  | { readonly report: "output"; readonly callId: string; readonly text: string }
  | {
      readonly report: "permission";
      readonly requestId: string;
      readonly request: PermissionRequest;
      /** A hash of tool and input: equal if the agent asks for the same again. */
      readonly fingerprint: string;
    }
  /** The agent asks a person for the fields of a form, or to open a URL. */
  | {
      readonly report: "elicitation";
      readonly requestId: string;
      readonly request: ElicitationRequest;
      /** A hash of message and schema: equal if the agent asks for the same again. Null for a URL. */
      readonly fingerprint: string | null;
    }
  /** The person has finished at the URL of an elicitation, says the agent. */
  | { readonly report: "completed"; readonly requestId: string }
  /** The agent needs something from outside and ends its prompt. The answer comes with another prompt. */
  | {
      readonly report: "wants";
      readonly kind: Extract<SuspensionKind, "question" | "tool_result" | "event">;
      readonly callId: string;
      readonly request: JsonObject;
    }
  /** The agent has withdrawn a permission request or an elicitation. */
  | { readonly report: "withdrawn"; readonly requestId: string }
  /** The usage of the current prompt so far. */
  | { readonly report: "usage"; readonly usage: JsonObject }
  | { readonly report: "title"; readonly title: string }
  /** What the agent offers, or its values, have changed. `changed`: by itself; null if not. */
  | { readonly report: "offer"; readonly changed: ChangedByAgent | null }
  /** The agent floods the server, which ends the run. */
  | { readonly report: "excess"; readonly reason: string }
  /** Any other message: a sign of life. */
  | { readonly report: "alive" };

export interface PermissionRequest extends JsonObject {
  readonly title: string;
  readonly toolCallId: string | null;
  readonly kind: string | null;
  readonly input: Json;
  readonly options: readonly PermissionOption[];
  /*
   * Optional: `tool`, the name of the tool, `locations`, the paths of its files, and `description`, what the agent says
   * about the request.
   */
}

export interface ElicitationRequest extends JsonObject {
  /** The first line of the message. */
  readonly title: string;
  readonly message: string;
  readonly mode: "form" | "url";
  readonly toolCallId: string | null;
  /* Form: `schema`, a JSON Schema. URL: `url` and `elicitationId`, the agent's own ID. */
}

export interface PermissionOption extends JsonObject {
  readonly optionId: string;
  readonly name: string;
  /** `allow_once`, `allow_always`, `reject_once`, `reject_always`, or a kind of the agent's own. */
  readonly kind: string;
}

export const AGENT_FAULT_CODES = [
  /** The program was not found. */
  "agent_not_installed",
  /** The program exists but could not be started. */
  "agent_not_started",
  /** It did not answer in time. */
  "agent_unresponsive",
  /** It requires a login. */
  "agent_needs_login",
  /** It exited during a start or a prompt. */
  "agent_exited",
  /** It replied with an error. */
  "agent_failed",
  /** The service of its model reported too many requests. */
  "agent_rate_limited",
  /** The service of its model could not be reached or failed. */
  "agent_disconnected",
  /** It lost the earlier conversation although that was required. */
  "agent_forgot",
  /** It violated the protocol. */
  "agent_unintelligible",
  /** It wrote or asked more in one run than it may. */
  "agent_excessive",
] as const;
export type AgentFaultCode = (typeof AGENT_FAULT_CODES)[number];

export class AgentFault extends Error {
  readonly code: AgentFaultCode;
  /** The end of stderr, or the data of the agent's error. */
  readonly detail: string | null;
  /** Whether a retry after a pause may succeed. */
  readonly isPassing: boolean;
  readonly retryAfterMs: number | null;
  /** The ways to log in, if the agent surely requires a login; otherwise null. */
  readonly login: readonly LoginMethod[] | null;

  constructor(
    code: AgentFaultCode,
    message: string,
    options: {
      readonly detail?: string | null;
      readonly isPassing?: boolean;
      readonly retryAfterMs?: number | null;
      readonly login?: readonly LoginMethod[] | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AgentFault";
    this.code = code;
    this.detail = options.detail ?? null;
    this.isPassing = options.isPassing ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.login = options.login ?? null;
  }
}
