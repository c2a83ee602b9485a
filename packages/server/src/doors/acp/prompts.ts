import type { ContentBlock, PromptResponse, StopReason } from "@agentclientprotocol/sdk/unstable";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { isObject, type Client } from "@holdfast/client";
import type { Run } from "@holdfast/protocol";
import { persist, type Persisting } from "../persist.ts";
import { RPC } from "./rpc-error.ts";
import { textOf } from "../text-of.ts";
import { toParts } from "./updates/blocks.ts";
import { promptUsage } from "./updates/usage-update.ts";

/** The prompts of one editor in one session. */
export interface Prompts {
  /** Sends a message and waits until its run has ended, however long that takes. */
  send(prompt: readonly ContentBlock[]): Promise<PromptResponse>;
  /** A run of the session has changed. */
  changed(run: Run): void;
  /** Stops the run of the session, and withdraws the editor's prompts that no agent has yet. */
  cancel(): Promise<void>;
  /** Waits until no prompt is being sent, then says whether the message is a prompt of this editor. */
  isOwn(messageId: string): Promise<boolean>;
  /** Whether the reply to a prompt says, or said, how the run ended. */
  isReported(runId: string): boolean;
  /** Resolves when the editor waits for no prompt any more. */
  settled(): Promise<void>;
  /** The session is gone. */
  fail(error: Error): void;
}

interface Waiting {
  readonly runId: string;
  readonly messageId: string;
  readonly promise: Promise<PromptResponse>;
  readonly resolve: (response: PromptResponse) => void;
  readonly reject: (error: Error) => void;
}

/** A prompt is sent as long as the editor waits for it. */
const PATIENCE_MS = Number.POSITIVE_INFINITY;

export function createPrompts({
  sessions,
  sessionId,
  signal,
  newKey,
}: {
  readonly sessions: Pick<Client["sessions"], "send" | "cancel" | "withdrawQueued">;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  readonly newKey: () => string;
}): Prompts {
  const persisting: Persisting = { signal, patienceMs: PATIENCE_MS };
  const waiting = new Map<string, Waiting>();
  const own = new Set<string>();
  const runs = new Set<string>();
  const sending = new Set<Promise<unknown>>();
  let cancels = 0;

  const sent = async (): Promise<void> => {
    while (sending.size > 0) await Promise.allSettled(sending);
  };

  return {
    async send(prompt) {
      const idempotencyKey = newKey();
      const cancelsBefore = cancels;
      const request = persist(
        () => sessions.send(sessionId, { content: toParts(prompt) }, { idempotencyKey, signal }),
        persisting,
      );
      const ended = request.then(({ message, run }) => {
        own.add(message.id);
        runs.add(run.id);
        const end = Promise.withResolvers<PromptResponse>();
        waiting.set(run.id, { runId: run.id, messageId: message.id, ...end });
        return { run, end: end.promise };
      });
      sending.add(ended);
      const { run, end } = await ended.finally(() => sending.delete(ended));
      // A run that has ended already sends no more events.
      if (isEnded(run)) this.changed(run);
      if (cancels > cancelsBefore) await this.cancel();
      return end;
    },
    changed(run) {
      const prompt = waiting.get(run.id);
      if (prompt === undefined || !isEnded(run)) return;
      waiting.delete(run.id);
      const end = endOf(run);
      if (end instanceof Error) prompt.reject(end);
      else prompt.resolve(end);
    },
    async cancel() {
      cancels += 1;
      const idempotencyKey = newKey();
      const queued = [...waiting.values()].map(({ messageId }) => messageId);
      for (const messageId of queued) {
        // One that is no longer in the queue is at work, and is stopped below.
        await persist(
          () => sessions.withdrawQueued(sessionId, messageId, { signal }),
          persisting,
        ).catch(() => {});
      }
      await persist(
        () =>
          sessions.cancel(
            sessionId,
            { reason: "stopped in the editor" },
            { idempotencyKey, signal },
          ),
        persisting,
      );
    },
    async isOwn(messageId) {
      await sent();
      return own.has(messageId);
    },
    isReported: (runId) => runs.has(runId),
    async settled() {
      await sent();
      await Promise.allSettled([...waiting.values()].map(({ promise }) => promise));
    },
    fail(error) {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}

const ENDS: ReadonlySet<Run["status"]> = new Set([
  "completed",
  "failed",
  "cancelled",
  "interrupted",
]);

function isEnded({ status }: Run): boolean {
  return ENDS.has(status);
}

const STOP_REASONS: ReadonlySet<string> = new Set<StopReason>([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);

function endOf({ status, stopReason, usage, error }: Run): PromptResponse | RequestError {
  switch (status) {
    case "completed":
      return {
        stopReason: isStopReason(stopReason) ? stopReason : "end_turn",
        ...promptUsage(usage),
      };
    case "cancelled":
      return { stopReason: "cancelled", ...promptUsage(usage) };
    default: {
      const problem = isObject(error) ? error : {};
      const message = textOf(problem["message"]) ?? `The run was ${status}.`;
      const hint =
        status === "interrupted" ? " The agent's work may be incomplete. It was not repeated." : "";
      return new RequestError(RPC.internalError, `${message}${hint}`, {
        code: problem["code"] ?? status,
      });
    }
  }
}

function isStopReason(reason: string | null): reason is StopReason {
  return reason !== null && STOP_REASONS.has(reason);
}
