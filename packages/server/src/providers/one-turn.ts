import { randomUUID } from "node:crypto";
import { AgentFault, type Agent, type AgentReport, type Provider } from "./provider.ts";

export interface TurnOptions {
  /** The real path of the folder in which the agent works. */
  readonly folder: string;
  readonly text: string;
  /** For the start of the agent and its answer together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type Turn =
  | { readonly ok: true; readonly answer: string }
  /** The reason is a sentence without its full stop. */
  | { readonly ok: false; readonly reason: string };

const MAX_ANSWER = 2_000;

/** Asks a new agent for one answer, outside of any session. Permission requests and questions are refused, and nothing is left running. */
export async function takeOneTurn(
  provider: Provider,
  { folder, text, timeoutMs, signal }: TurnOptions,
): Promise<Turn> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  const aborted = new Promise<never>((_, reject) => {
    ended.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
  aborted.catch(() => {});
  let agent: Agent | null = null;
  let answer = "";
  const onReport = (report: AgentReport): undefined => {
    if (report.report === "permission") agent?.answer(report.requestId, rejectionOf(report));
    if (report.report === "elicitation") agent?.answer(report.requestId, { action: "cancel" });
    if (report.report === "text" && report.voice === "answer" && answer.length < MAX_ANSWER)
      answer += report.text;
  };
  try {
    agent = await provider.startAgent({
      sessionId: randomUUID(),
      workspace: { path: folder, descriptor: null },
      model: null,
      resume: null,
      onReport,
      signal: ended,
    });
    const prompt = { parts: [{ type: "text", text }], model: null, history: [], begun: [] };
    const { stopReason } = await Promise.race([agent.prompt(prompt), aborted]);
    const said = answer.slice(0, MAX_ANSWER).trim();
    return said === ""
      ? { ok: false, reason: `it ended without an answer (${stopReason})` }
      : { ok: true, answer: said };
  } catch (error) {
    if (signal.aborted) return { ok: false, reason: "it was interrupted" };
    if (timeout.aborted)
      return { ok: false, reason: `it did not answer within ${timeoutMs / 1_000} seconds` };
    if (error instanceof AgentFault) return { ok: false, reason: reasonOf(error) };
    throw error;
  } finally {
    await agent?.stop({ urgent: ended.aborted });
  }
}

function rejectionOf({ request }: Extract<AgentReport, { report: "permission" }>) {
  const option = request.options.find(({ kind }) => kind === "reject_once");
  return option === undefined
    ? ({ outcome: "cancelled" } as const)
    : ({ outcome: "selected", optionId: option.optionId } as const);
}

/** The message, and the last line of what the agent itself wrote about it. */
function reasonOf({ message, detail }: AgentFault): string {
  const last = detail?.trim().split("\n").at(-1)?.trim() ?? "";
  const reason = last === "" || message.includes(last) ? message : `${message} (${last})`;
  return reason.replace(/[.\s]+$/u, "");
}
