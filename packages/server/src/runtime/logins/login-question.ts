import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Command } from "../../domain/kernel/command.ts";
import { AgentFault } from "../../providers/provider.ts";
import type { StoredSuspension } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { RunAtWork } from "../run/hand-over.ts";

/** A run that still needs a login after this many waits fails. */
const MAX_WAITS = 20;

/**
 * Suspends a run until somebody has logged in. False when the fault does not surely mean that a login is required, or the
 * run has waited too often. The message is given to an agent again afterwards, unless `hasUsedTools`: then the agent is
 * told to continue.
 */
export async function suspendForLogin(
  context: RuntimeContext,
  { sessionId, run, fence }: Pick<RunAtWork, "sessionId" | "run" | "fence">,
  fault: AgentFault,
  { hasUsedTools }: { readonly hasUsedTools: boolean },
): Promise<boolean> {
  if (fault.code !== "agent_needs_login" || fault.login === null) return false;
  const suspensions = await context.store.readSuspensions(sessionId);
  const waits = suspensions.filter(({ runId, kind }) => runId === run.id && kind === "login");
  if (waits.length >= MAX_WAITS) return false;
  const at = context.clock();
  const request: JsonObject = {
    title: fault.message,
    provider: run.provider,
    methods: fault.login,
    ...(hasUsedTools && { begun: true }),
  };
  context.logins.expect(run.provider);
  const suspension = { id: context.newId(), kind: "login", request, fingerprint: null } as const;
  const suspended = await context.execute({
    sessionId,
    command: {
      type: "suspend-run",
      at,
      runId: run.id,
      suspension: { ...suspension, createdAt: at, expiresAt: null },
    },
    extras: { fence },
  });
  return suspended.ok;
}

/** Whether the agent had begun to work before it required a login, so that it must not get the message again. */
export function hadBegun({ kind, request }: Pick<StoredSuspension, "kind" | "request">): boolean {
  return kind === "login" && request["begun"] === true;
}

export type LoginAnswer = { readonly action: "retry" } | { readonly action: "cancel" };

/** `{action}`, or its value alone; null if it is neither. */
export function parseLoginAnswer(answer: Json): LoginAnswer | null {
  const action = isObject(answer) ? (answer["action"] ?? answer["optionId"]) : answer;
  return action === "retry" || action === "cancel" ? { action } : null;
}

/** The end of a run for which nobody will log in. */
export function endWithoutLogin(
  { kind, runId, request }: StoredSuspension,
  answer: Json,
  at: number,
): readonly Command[] {
  if (kind !== "login" || parseLoginAnswer(answer)?.action !== "cancel") return [];
  const { title, methods } = request;
  const message = typeof title === "string" ? title : "The agent requires a login";
  const error = { code: "agent_needs_login", message, detail: detailOf(methods ?? null) };
  const result = { outcome: "failed", error } as const;
  return [{ type: "end-run", at, runId, result, usage: null }];
}

function detailOf(methods: Json): string | null {
  if (!Array.isArray(methods)) return null;
  const lines = methods.filter(isObject).map(({ id, name, description }) => {
    const text = `${String(name)} (${String(id)})`;
    return typeof description === "string" ? `${text}: ${description}` : text;
  });
  return lines.join("\n") || null;
}
