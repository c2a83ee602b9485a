import type { SessionEvent } from "../domain/kernel/event.ts";
import type { Message, MessageContent } from "../domain/message.ts";
import type { Fence, NewMessage } from "./store.ts";

export interface Output {
  readonly sessionId: string;
  readonly runId: string;
  readonly at: number;
  readonly fence: Fence;
  readonly items: readonly OutputItem[];
  /** False for checkpoints of a stream: they survive a crash of ours, not a power cut. */
  readonly durable: boolean;
  /** The number of the last output that the writer knows to be stored. */
  readonly after?: number;
  /** The same output was tried before and its outcome is unknown: if it is stored, it is not stored again. */
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
  /** The message is whole: its text so far becomes its content and the log forgets the pieces. */
  | { readonly put: "end"; readonly messageId: string };

export interface Appended {
  readonly ok: true;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** When it was said, as it is stored. */
  readonly at: number;
}

export type AppendRefused =
  | {
      readonly ok: false;
      readonly refused: "fenced" | "run_not_current" | "message_not_found";
    }
  /** The database crashed and lost output that was not durable: its log ends at `lastSeq`, before `after`. */
  | { readonly ok: false; readonly refused: "output_lost"; readonly lastSeq: number };

export type LogEntry =
  | {
      readonly kind: "event";
      readonly seq: number;
      readonly at: number;
      readonly event: SessionEvent;
    }
  | {
      readonly kind: "message";
      readonly seq: number;
      readonly at: number;
      readonly message: Message;
    }
  | {
      readonly kind: "delta";
      readonly seq: number;
      readonly at: number;
      readonly messageId: string;
      readonly text: string;
    }
  /** Reported and set aside. */
  | { readonly kind: "unreadable"; readonly seq: number; readonly at: number };
