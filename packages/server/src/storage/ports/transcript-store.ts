import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { Message, MessageContent, Role } from "../../domain/message.ts";
import type { Fence } from "./node-store.ts";
import type { RunCall } from "./run-store.ts";

/** Messages of a session, and its event log. */
export interface TranscriptStore {
  /** Stores output of an agent if the run is still current and the fence holds. */
  append(output: Output): Promise<Appended | AppendRefused>;
  readMessages(query: MessageQuery): Promise<readonly Message[]>;
  /** The last messages before a number, in order. Without the number, all that can still change are among them. */
  readNewest(query: NewestQuery): Promise<NewestMessages>;
  /** The same messages as JSON, for readers that pass them on. */
  readMessageJson(query: MessageJsonQuery): Promise<MessageJson>;
  countMessages(query: { readonly sessionId: string; readonly before: number }): Promise<number>;
  /** The last messages of one run before a number, in order. */
  readNewestOfRun(query: NewestOfRunQuery): Promise<readonly Message[]>;
  readMessage(sessionId: string, messageId: string): Promise<Message | null>;
  readEvents(query: EventQuery): Promise<readonly LogEntry[]>;
}

export interface Output {
  readonly sessionId: string;
  readonly runId: string;
  readonly at: number;
  readonly fence: Fence;
  readonly items: readonly OutputItem[];
  /** False for streamed text: it survives a crash of the server, but not a power failure. */
  readonly durable: boolean;
  /** The last sequence number that the writer knows to be stored. */
  readonly after?: number;
  /** How much of the output of the agent is stored with this. */
  readonly agentCursor?: string;
  /** An earlier attempt had an unknown outcome. If that attempt was stored, the output is not stored again. */
  readonly wasTried?: boolean;
}

export type OutputItem =
  | {
      readonly put: "message";
      readonly message: Omit<NewMessage, "runId">;
      readonly complete: boolean;
    }
  | { readonly put: "text"; readonly messageId: string; readonly text: string }
  | {
      readonly put: "content";
      readonly messageId: string;
      readonly content: MessageContent;
      readonly complete: boolean;
    }
  /** Completes the message: its text becomes its content, and its deltas leave the log. */
  | { readonly put: "end"; readonly messageId: string };

export interface NewMessage {
  readonly id: string;
  readonly runId: string | null;
  readonly role: Role;
  readonly content: MessageContent;
  /** Time of the message if it is not new: a fork keeps the times of the original. */
  readonly at?: number;
}

export interface Appended {
  readonly ok: true;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The stored time. It may be later than the time of the output. */
  readonly at: number;
}

export type AppendRefused =
  | {
      readonly ok: false;
      readonly refused: "fenced" | "run_not_current" | "message_not_found";
    }
  /** The database crashed and lost output that was not durable: its log ends at `lastSeq`, before `after`. */
  | { readonly ok: false; readonly refused: "output_lost"; readonly lastSeq: number };

export interface MessageQuery {
  readonly sessionId: string;
  /** After this sequence number. */
  readonly after?: number;
  /** Later than this time. */
  readonly since?: number;
  readonly limit?: number;
}

export interface NewestQuery {
  readonly sessionId: string;
  /** Before this sequence number. */
  readonly before?: number;
  readonly limit: number;
}

/** The first messages after a number, or the last ones. Without `before`, all that can still change are among the last. */
export type MessageJsonQuery = {
  readonly sessionId: string;
  /** Before this sequence number. */
  readonly before?: number;
  readonly limit: number;
  readonly format: MessageFormat;
} & (
  | { readonly part: "first"; readonly after: number; readonly since?: number }
  | { readonly part: "last" }
);

/** The JSON that a reader makes of messages. */
export interface MessageFormat {
  readonly separator: "," | "\n";
  /** The properties of a message in their order, with names that need no escaping. */
  readonly properties: Readonly<Record<string, MessageValue>>;
  /** The same object, of a message that was read. */
  readonly of: (message: Message) => object;
}

/** `time` in ISO 8601; `message` is this word. */
export type MessageValue =
  | "id"
  | "sessionId"
  | "runId"
  | "seq"
  | "role"
  | "content"
  | "complete"
  | "time"
  | "message";

export interface MessageJson {
  /** UTF-8: the objects with separators between them. */
  readonly json: Uint8Array;
  readonly count: number;
  /** The sequence numbers of the first and the last message; null without messages. */
  readonly first: number | null;
  readonly last: number | null;
  /** That of the first message that can still change. */
  readonly firstOpen: number | null;
  /** The tool calls among them. */
  readonly calls: readonly RunCall[];
}

export interface NewestOfRunQuery extends NewestQuery {
  readonly runId: string;
}

export interface NewestMessages {
  readonly messages: readonly Message[];
  /** The number of messages before them. */
  readonly earlier: number;
}

export interface EventQuery {
  readonly sessionId: string;
  readonly after: number;
  readonly limit: number;
}

export type LogEntry = { readonly seq: number; readonly at: number } & (
  | { readonly kind: "event"; readonly event: SessionEvent }
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "delta"; readonly messageId: string; readonly text: string }
  /** Reported and quarantined. */
  | { readonly kind: "unreadable" }
);
