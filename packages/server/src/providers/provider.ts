import type { Json, JsonObject } from "../domain/json.ts";
import type { Message, MessageContent } from "../domain/message.ts";
import type { SuspensionKind } from "../domain/suspension.ts";

/** One kind of agent, as configured: it says whether it could start one, and starts them. */
export interface Provider {
  readonly name: string;
  /** Whether its agents ask before they change something; null when nobody knows. Not said of those that cannot. */
  readonly asks?: boolean | null;
  /** Looks without starting anything. */
  describe(): Promise<ProviderDescription>;
  /** An agent ready for its first prompt. Throws an `AgentFault`, and then nothing is left running. */
  startAgent(request: StartAgent): Promise<Agent>;
}

export interface ProviderDescription {
  readonly name: string;
  readonly title: string;
  readonly installed: boolean;
  /** The command that would be run. */
  readonly command: readonly string[];
  /** How to get it, as a command to type; null where nobody can say. */
  readonly install: string | null;
  /** Configured, and seen when an agent last ran. */
  readonly models: readonly Choice[];
  readonly modes: readonly Choice[];
  /** What can be typed at the beginning of a message, as the agent that last ran told. */
  readonly commands: readonly AgentCommand[];
  /** What the agent said about itself when one last ran; null before. */
  readonly capabilities: JsonObject | null;
}

export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  /** What to type after it; null when it takes nothing. */
  readonly hint: string | null;
}

export interface Choice {
  readonly id: string;
  readonly name: string;
}

export interface StartAgent {
  readonly sessionId: string;
  readonly workspace: Workspace;
  readonly model: string | null;
  /** Tools of the session's client: a call is reported as a `wants`, the client answers it. None where left out. */
  readonly tools?: readonly ToolDefinition[];
  /** What an earlier agent of this provider left, to take its own session up again; null starts afresh. */
  readonly resume: Json;
  /**
   * Called for everything the agent says, in order, from before `startAgent` resolves until it has
   * ended. A promise means that no more can be taken for now: the agent is read on when it resolves.
   */
  readonly onReport: (report: AgentReport) => Promise<void> | undefined;
  /** Told of the agent as soon as it exists, also of one that then turns out not to start. */
  readonly onProcess?: (process: AgentProcess) => void;
  readonly signal: AbortSignal;
}

/** What an agent is to the system. */
export interface AgentProcess {
  /** Null for an agent without a process of its own. */
  readonly pid: number | null;
  readonly exited: Promise<Pick<AgentExit, "code" | "signal">>;
}

/** A program with tools that an agent starts beside itself and speaks MCP with over stdio. */
export interface ToolServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its values are secrets: they are kept out of the journal. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly inputSchema: JsonObject;
}

/** The repository's folder, opened and verified: the descriptor holds it whatever happens to the path. */
export interface Workspace {
  readonly path: string;
  readonly descriptor: number | null;
}

/** A live agent process with one conversation. */
export interface Agent {
  readonly provider: string;
  readonly pid: number;
  /** How it came by what was said before it started; `told`: it is given the history with each prompt. */
  readonly memory: "none" | "resumed" | "loaded" | "told";
  readonly supportsResume: boolean;
  /** What a later `StartAgent` needs as `resume`. */
  readonly resumeData: Json;
  /** One at a time. Resolves when the agent says it is done; throws an `AgentFault`. */
  prompt(prompt: Prompt): Promise<PromptEnd>;
  /** Of an agent that is `told`: how many of the messages before it finds room for. */
  roomFor?(prompt: Prompt): { readonly given: number; readonly of: number };
  /** Answers a `permission` report; false when the agent no longer waits for it. */
  answer(requestId: string, answer: PermissionAnswer): boolean;
  /** Asks the agent to end its prompt. `ignored`: it did not within the time given, stop it. */
  cancel(): Promise<"settled" | "ignored">;
  /** Ends the process and everything it started, gently first. Resolves when none of it is left. */
  stop(options?: { readonly urgent?: boolean }): Promise<void>;
  /** Resolves when the process is gone, however that came, and its last words have been read. */
  readonly exited: Promise<AgentExit>;
  /** It takes no prompt any more: the process has ended, or is deaf and mute and is being ended. `exited` resolves later. */
  readonly isGone: boolean;
}

export interface Prompt {
  /** Parts of a message as stored: `{type:"text",text}`, and where the agent takes them images and the like. */
  readonly parts: readonly MessageContent[];
  readonly model: string | null;
  /** For an agent that is `told`: every message before this one. */
  readonly history?: readonly Message[];
  /** For an agent that is `told`: what this run has brought so far. */
  readonly begun?: readonly Message[];
  /** What the run had been waiting for, with what came of it, since the agent last heard. */
  readonly answers?: readonly PromptAnswer[];
}

export interface PromptAnswer {
  /** As in the `wants` report; null where the question came from elsewhere. */
  readonly callId: string | null;
  readonly kind: SuspensionKind;
  /** Null when nobody answered: it expired, or was withdrawn. */
  readonly answer: Json;
}

export interface PromptEnd {
  readonly stopReason: string;
  readonly usage: JsonObject | null;
}

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last of what it wrote to stderr. */
  readonly stderr: string;
}

export type PermissionAnswer =
  | { readonly outcome: "selected"; readonly optionId: string }
  | { readonly outcome: "cancelled" };

/** What an agent says while it works. */
export type AgentReport =
  /** Text that goes on from the last text of the same voice and part, with nothing else in between. */
  | {
      readonly report: "text";
      readonly voice: "answer" | "thought";
      readonly part: string | null;
      readonly text: string;
    }
  /** A whole message that does not grow: an image, a link, a notice. */
  | { readonly report: "message"; readonly content: MessageContent }
  /** The whole plan, replacing the one before. */
  | { readonly report: "plan"; readonly content: MessageContent }
  /** The whole of a tool call as known now; `ended` when it will not change any more. */
  | {
      readonly report: "tool";
      readonly callId: string;
      readonly content: MessageContent;
      readonly ended: boolean;
    }
  | {
      readonly report: "permission";
      readonly requestId: string;
      readonly request: PermissionRequest;
      /** Of tool and canonical input: equal when the agent asks for the same again. */
      readonly fingerprint: string;
    }
  /**
   * The agent needs something from outside and ends its prompt; it is prompted again with the answer,
   * whenever that comes.
   */
  | {
      readonly report: "wants";
      readonly kind: Extract<SuspensionKind, "question" | "tool_result" | "event">;
      readonly callId: string;
      readonly request: JsonObject;
    }
  /** The agent no longer wants the permission. */
  | { readonly report: "withdrawn"; readonly requestId: string }
  /** What the prompt under way has used so far, as far as the agent tells. */
  | { readonly report: "usage"; readonly usage: JsonObject }
  | { readonly report: "title"; readonly title: string }
  /** Anything else: it shows that the agent is alive. */
  | { readonly report: "alive" };

export interface PermissionRequest extends JsonObject {
  readonly title: string;
  readonly toolCallId: string | null;
  readonly kind: string | null;
  readonly input: Json;
  readonly options: readonly PermissionOption[];
  /* Also, where the agent tells: `tool`, its name, and `locations`, the files it is about. */
}

export interface PermissionOption extends JsonObject {
  readonly optionId: string;
  readonly name: string;
  /** `allow_once`, `allow_always`, `reject_once`, `reject_always`, or what the agent invented. */
  readonly kind: string;
}

export const AGENT_FAULT_CODES = [
  /** The program is not there. */
  "agent_not_installed",
  /** The program is there and could not be started. */
  "agent_not_started",
  /** It did not answer in time while starting. */
  "agent_unresponsive",
  /** It wants somebody to log in first. */
  "agent_needs_login",
  /** It ended while it was needed. */
  "agent_exited",
  /** It answered with an error. */
  "agent_failed",
  /** Its model's service says that too much was asked. */
  "agent_rate_limited",
  /** Its model's service could not be reached, or was out of order. */
  "agent_disconnected",
  /** It does not know what was said before, and had to. */
  "agent_forgot",
  /** It broke the protocol so that it cannot be understood. */
  "agent_unintelligible",
] as const;
export type AgentFaultCode = (typeof AGENT_FAULT_CODES)[number];

export class AgentFault extends Error {
  readonly code: AgentFaultCode;
  /** The tail of stderr, or what the agent's error carried. */
  readonly detail: string | null;
  /** Worth another try by itself, after a pause. */
  readonly isPassing: boolean;
  readonly retryAfterMs: number | null;

  constructor(
    code: AgentFaultCode,
    message: string,
    options: {
      readonly detail?: string | null;
      readonly isPassing?: boolean;
      readonly retryAfterMs?: number | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AgentFault";
    this.code = code;
    this.detail = options.detail ?? null;
    this.isPassing = options.isPassing ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
