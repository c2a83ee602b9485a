import { HoldfastError, type Client } from "@holdfast/client";
import type { OpenSuspension, Suspension, ToolContent } from "@holdfast/protocol";
import { z } from "zod";
import { askPerson, type OpenPrompt } from "./ask-person.ts";
import { type Later, canAsk, type Terminal } from "../terminal/terminal.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { createPaint } from "../terminal/paint.ts";
import { questionOf, type Question } from "./question.ts";
import { answerCommands, keysLine, nameOf, questionLines } from "./question-lines.ts";
import type { Screen } from "../terminal/screen.ts";
import type { StopRequests } from "../terminal/stop-requests.ts";

/** Asks the open suspensions of a session at the terminal, one after the other. */
export interface Questions {
  /** Takes the current version of a suspension, open or closed. */
  take(suspension: SuspensionUpdate): void;
  close(): void;
}

type SuspensionUpdate = OpenSuspension & Pick<Suspension, "status"> & Partial<Suspension>;

export interface QuestionsOptions {
  readonly client: Pick<Client, "sessions">;
  readonly sessionId: string;
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly toolOf: (callId: string) => ToolContent | null;
  readonly stops: StopRequests;
  readonly later: Later;
  /** Retries while the server cannot be reached. */
  readonly persist: <Result>(
    work: (options: { readonly signal: AbortSignal }) => Promise<Result>,
  ) => Promise<Result>;
  /** A suspension stays open without an answer here; the commands to answer it have been printed. */
  readonly onUnanswered: () => void;
  readonly onFailure: (error: unknown) => void;
}

export function createQuestions(options: QuestionsOptions): Questions {
  const { client, sessionId, terminal, screen, toolOf, stops, later, persist } = options;
  const { onUnanswered, onFailure } = options;
  const paint = createPaint(terminal.stderr);
  const open = new Map<string, OpenSuspension>();
  /** Left open by the person; not asked again. */
  const left = new Set<string>();
  let current: { readonly id: string; readonly prompt: OpenPrompt; answer: string | null } | null =
    null;
  let isOver = false;

  const say = (...lines: readonly string[]): void => {
    terminal.stderr.stream.write(lines.map((line) => `${line}\n`).join(""));
  };

  const show = (question: Question): void => {
    const columns = terminal.stderr.columns();
    say("", ...questionLines(question, { paint, columns }));
  };

  const leave = (question: Question): void => {
    open.delete(question.id);
    left.add(question.id);
    const commands = answerCommands(question, sessionId);
    if (commands.length > 0) say("To answer:", ...commands.map((command) => `  ${command}`));
    current = null;
    screen.release();
    onUnanswered();
  };

  const next = (): void => {
    const [suspension] = open.values();
    if (isOver || current !== null || suspension === undefined) return;
    const question = questionOf(suspension, toolOf);
    screen.hold();
    show(question);
    if (question.ask !== "nothing" && canAsk(terminal)) return ask(question);
    leave(question);
    next();
  };

  const ask = (question: Exclude<Question, { ask: "nothing" }>): void => {
    if (question.ask === "choice") say(paint.dim(keysLine(question.options)));
    const prompt = askPerson(question, { terminal, later, onInterrupt: stops.press });
    current = { id: question.id, prompt, answer: null };
    void prompt.answer.then((answer) => {
      if (current?.prompt !== prompt || isOver) return;
      if (answer === null) return leave(question);
      current.answer = answer;
      say(paint.dim(`→ ${answerText(question, answer)}`));
      give(question.id, answer).catch(onFailure);
    });
  };

  const give = async (suspensionId: string, answer: string): Promise<void> => {
    try {
      await persist((call) => client.sessions.answer(sessionId, { suspensionId, answer }, call));
    } catch (error) {
      const isLate = error instanceof HoldfastError && LATE.has(error.code);
      if (!isLate) throw error;
    }
  };

  return {
    take(suspension) {
      const { id, status } = suspension;
      if (status === "open") {
        if (current?.id !== id && !left.has(id)) open.set(id, suspension);
        return next();
      }
      open.delete(id);
      if (current?.id !== id) return;
      const { prompt, answer } = current;
      current = null;
      prompt.close();
      const isOurs = answer !== null && answerIn(suspension) === answer;
      if (!isOurs) say(paint.dim(`→ ${closedElsewhere(suspension)}`));
      screen.release();
      next();
    },
    close() {
      isOver = true;
      current?.prompt.close();
      if (current !== null) screen.release();
      current = null;
    },
  };
}

/** Another person answered first; the closing event reports it. */
const LATE: ReadonlySet<string> = new Set(["suspension_answered", "suspension_not_open"]);

function answerText(question: Question, answer: string): string {
  const options = question.ask === "choice" ? question.options : [];
  const option = options.find(({ optionId }) => optionId === answer);
  return option === undefined ? neutraliseLine(answer) : nameOf(option);
}

function closedElsewhere(suspension: SuspensionUpdate): string {
  const { status, answeredBy } = suspension;
  if (status !== "answered") return `no longer asked: ${status}`;
  const by = answeredBy === undefined || answeredBy === null ? "" : ` by ${answeredBy}`;
  const answer = answerIn(suspension);
  const what = answer === null ? "" : `: ${answerText(questionOf(suspension), answer)}`;
  return neutraliseLine(`answered elsewhere${by}${what}`);
}

const chosenSchema = z.object({ optionId: z.string() });

/** The chosen option or the text; null for any other answer. */
function answerIn({ answer }: SuspensionUpdate): string | null {
  if (typeof answer === "string") return answer;
  return chosenSchema.safeParse(answer).data?.optionId ?? null;
}
