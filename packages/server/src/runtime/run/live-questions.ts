import { defined } from "../../domain/defined.ts";
import type { JsonObject } from "../../domain/json.ts";
import { currentRunOf, openSuspensionsOf } from "../../domain/session.ts";
import type { Agent, AgentAnswer, AgentReport } from "../../providers/provider.ts";
import type { StoredSuspension } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { toElicitationAnswer } from "../elicitation/elicitation-answer.ts";
import { elicitationQuestion } from "../elicitation/elicitation-question.ts";
import { toAgentAnswer } from "../permissions/permission-answer.ts";
import { permissionQuestion } from "../permissions/permission-question.ts";
import { loadReadable } from "../session-snapshot.ts";
import { suspensionIdOf } from "./suspension-id.ts";
import { storeHandOver, type RunAtWork } from "./hand-over.ts";
import { closedSuspensions } from "./run-prompt.ts";

export interface LiveQuestionsOptions {
  readonly context: RuntimeContext;
  readonly atWork: RunAtWork;
  /** The agent that asks; null before it is prompted. */
  readonly agent: () => Agent | null;
  /** The closed suspensions that the current prompt tells the agent about. */
  readonly toldByPrompt: () => readonly string[];
  /** The agent waits for a person, perhaps not for ever. */
  readonly onWaiting: () => void;
  /** The agent has got an answer. */
  readonly onAnswered: () => void;
}

/** How often the session may change between read and write before an answer is left to the next agent. */
const MAX_CONFLICTS = 50;

type AskingReport = Extract<AgentReport, { report: "permission" | "elicitation" }>;

/** What a live agent asks a person, until each question is answered or withdrawn. */
export class LiveQuestions {
  /** Suspensions whose end the live agent knows. */
  readonly knownEnds = new Set<string>();
  readonly #options: LiveQuestionsOptions;
  /** The open questions by suspension. */
  readonly #asked = new Map<string, AskingReport>();

  constructor(options: LiveQuestionsOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#asked.size > 0;
  }

  /** The agent has asked an earlier server. */
  recall(report: AskingReport): void {
    this.#asked.set(suspensionIdOf(report.requestId), report);
  }

  async ask(report: AskingReport, agentCursor?: string): Promise<void> {
    await this.#ask(report, suspensionIdOf(report.requestId), agentCursor);
  }

  async #ask(report: AskingReport, id: string, agentCursor?: string): Promise<void> {
    const { context, atWork, agent, onWaiting } = this.#options;
    const { sessionId, run, fence } = atWork;
    const command =
      report.report === "permission"
        ? await permissionQuestion(context, { id, sessionId, run, report })
        : await elicitationQuestion(context, { id, sessionId, run, report });
    this.#asked.set(id, report);
    const extras = { fence, ...defined({ agentCursor }) };
    const executed = await context.execute({ sessionId, command, extras });
    if (!executed.ok) {
      this.#asked.delete(id);
      agent()?.answer(report.requestId, UNANSWERED[report.report]);
      return;
    }
    const closed = executed.events.find((event) => event.type === "suspension.closed");
    if (closed === undefined) {
      context.slots.use(sessionId, "waiting");
      return onWaiting();
    }
    const { closing } = closed;
    context.log.info(
      { sessionId, runId: run.id, closing },
      `a ${NAMES[report.report]} needed no person`,
    );
    await this.deliverAnswers();
  }

  /** The agent says that a person has finished at its URL, before anybody answered here. */
  async complete(requestId: string, agentCursor?: string): Promise<void> {
    const { context, atWork } = this.#options;
    const { sessionId, fence } = atWork;
    const extras = { fence, ...defined({ agentCursor }) };
    for (const [suspensionId, open] of this.#asked) {
      if (open.requestId !== requestId) continue;
      const answer = { action: "accept" };
      await context.execute({
        sessionId,
        command: { type: "answer", at: context.clock(), suspensionId, answer, by: "the agent" },
        extras,
      });
    }
    await this.deliverAnswers();
  }

  /** The agent withdrew the question from an earlier server. */
  forget(requestId: string): void {
    const id = suspensionIdOf(requestId);
    if (this.#asked.delete(id)) this.knownEnds.add(id);
  }

  /** The agent no longer wants an answer. */
  async withdraw(requestId: string, agentCursor?: string): Promise<void> {
    const { context, atWork } = this.#options;
    const { sessionId, fence } = atWork;
    const extras = { fence, ...defined({ agentCursor }) };
    for (const [suspensionId, open] of this.#asked) {
      if (open.requestId !== requestId) continue;
      this.#asked.delete(suspensionId);
      this.knownEnds.add(suspensionId);
      await context.execute({
        sessionId,
        command: { type: "close-suspension", at: context.clock(), suspensionId, how: "withdrawn" },
        extras,
      });
      // The agent works on without an answer.
      if (!this.isWaiting) await storeHandOver(context, atWork);
    }
  }

  /** Gives the agent the answers that are stored. */
  async deliverAnswers(): Promise<void> {
    const { context, atWork, agent, onAnswered } = this.#options;
    for (const [suspensionId, report] of this.#asked) {
      // The agent has exited, or is being ended: the next one gets the answer.
      if (atWork.signal.aborted || agent()?.isGone === true) return;
      const suspension = await context.store.readSuspension(suspensionId);
      const secrets = context.secretAnswers.of(suspensionId);
      const answer = suspension === null ? null : answerFor(suspension, secrets);
      if (answer === null) continue;
      this.#asked.delete(suspensionId);
      if (answer === "lost") {
        this.knownEnds.add(suspensionId);
        await this.#ask(report, context.newId());
        continue;
      }
      if (!this.isWaiting && !(await this.#mayDeliver(suspensionId))) continue;
      onAnswered();
      context.failpoint("answer.telling");
      if (agent()?.answer(report.requestId, answer) !== true) continue;
      context.failpoint("answer.told");
      context.secretAnswers.forget(suspensionId);
      this.knownEnds.add(suspensionId);
      context.answeredLive.add(suspensionId);
    }
  }

  /**
   * Whether the agent may have its last answer. If that is all the news, the run is stored as handed over again. The agent
   * learns other news by a prompt of their own, so the run is left as it is. Looks again when the session has changed.
   */
  async #mayDeliver(suspensionId: string): Promise<boolean> {
    const { context, atWork } = this.#options;
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const current = await readCurrent(context, atWork);
      if (current === null) return false;
      if (current.open > 0 || (await this.#hasOtherNews(suspensionId))) return true;
      const stored = await storeHandOver(context, atWork, { version: current.version });
      if (stored !== "changed") return stored === "handed";
    }
    return false;
  }

  async #hasOtherNews(suspensionId: string): Promise<boolean> {
    const { context, atWork, toldByPrompt } = this.#options;
    const { sessionId, run } = atWork;
    const closed = await closedSuspensions(context.store, sessionId, run.id);
    const knownEnds = new Set([
      suspensionId,
      ...this.knownEnds,
      ...toldByPrompt(),
      ...this.#asked.keys(),
    ]);
    return closed.some(({ id }) => !knownEnds.has(id));
  }
}

function answerFor(
  suspension: StoredSuspension,
  secrets: JsonObject | null,
): AgentAnswer | "lost" | null {
  return suspension.kind === "elicitation"
    ? toElicitationAnswer(suspension, secrets)
    : toAgentAnswer(suspension);
}

const NAMES = { permission: "permission", elicitation: "question" } as const;

/** The reply to a question that could not be stored. */
const UNANSWERED = {
  permission: { outcome: "cancelled" },
  elicitation: { action: "cancel" },
} as const satisfies Record<AskingReport["report"], AgentAnswer>;

export interface StoredRun {
  readonly version: number;
  readonly handed: boolean;
  /** The number of open suspensions. */
  readonly open: number;
}

/** The run as it is stored; null when it is no longer current or must not be worked on. */
export async function readCurrent(
  { store, known }: RuntimeContext,
  { sessionId, run, signal }: RunAtWork,
  { mayBeKnown = false }: { readonly mayBeKnown?: boolean } = {},
): Promise<StoredRun | null> {
  const stored = (mayBeKnown ? known(sessionId) : null) ?? (await loadReadable(store, sessionId));
  if (signal.aborted || stored === null) return null;
  const { session, version } = stored;
  const current = currentRunOf(session);
  if (current?.id !== run.id) return null;
  return { version, handed: current.handed, open: openSuspensionsOf(session).length };
}
