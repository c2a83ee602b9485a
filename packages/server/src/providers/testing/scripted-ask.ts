import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { DEFAULT_OPTIONS, type Ask } from "./script.ts";
import type { Wire } from "./scripted-wire.ts";

interface AskingPrompt {
  readonly wire: Wire;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** The ID of the chosen option, `cancelled`, `withdrawn`, or `error` with its code. */
export async function askPermission(
  { wire, sessionId, signal }: AskingPrompt,
  ask: Ask,
): Promise<string> {
  const { id, answer } = wire.ask("session/request_permission", {
    sessionId,
    toolCall: {
      toolCallId: ask.id,
      title: ask.title,
      kind: ask.kind ?? "execute",
      status: "pending",
      rawInput: ask.input ?? { command: ask.title },
    },
    options: ask.options ?? DEFAULT_OPTIONS,
  });
  const withdrawn = Promise.race([withdrawal(ask, signal), impatience(ask, signal)]).then(() => {
    wire.send({ method: "$/cancel_request", params: { requestId: id } });
    return null;
  });
  // Waits for the client's reply, not for the abort: the protocol requires clients to reply.
  const message = await Promise.race([answer, withdrawn]);
  if (message === null) return "withdrawn";
  if (message.error !== undefined) return `error ${message.error.code}`;
  const { outcome } = message.result as { outcome: { outcome: string; optionId?: string } };
  return outcome.optionId ?? outcome.outcome;
}

async function withdrawal(ask: Ask, signal: AbortSignal): Promise<void> {
  if (ask.withdrawWhen !== undefined) return fileAppears(ask.withdrawWhen, signal);
  if (ask.withdrawAfterMs !== undefined) return pause(ask.withdrawAfterMs);
  return new Promise(() => {});
}

async function impatience({ impatient = false }: Ask, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (impatient) signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

export async function fileAppears(file: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(file)) await pause(5, undefined, { signal });
}
