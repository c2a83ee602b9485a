import { HoldfastError, type Client } from "@holdfast/client";
import type { OpenSuspension, Suspension, ToolContent } from "@holdfast/protocol";
import { z } from "zod";
import { askPerson, type Asked } from "./ask-person.ts";
import type { Later } from "../terminal/later.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { createPaint } from "../terminal/paint.ts";
import { questionOf, type Question } from "./question.ts";
import { answerCommands, keysLine, nameOf, questionLines } from "./question-lines.ts";
import type { Screen } from "../terminal/screen.ts";
import type { StopRequests } from "../terminal/stop-requests.ts";
import { canAsk, type Terminal } from "../terminal/terminal.ts";

/** What a session waits for, asked one after the other of whoever sits at the terminal. */
export interface Questions {
  /** As it is now, open or closed. */
  take(suspension: AskedNow): void;
  close(): void;
}

type AskedNow = OpenSuspension & Pick<Suspension, "status"> & Partial<Suspension>;

export interface QuestionsOptions {
  readonly client: Pick<Client, "sessions">;
  readonly sessionId: string;
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly toolOf: (callId: string) => ToolContent | null;
  readonly stops: StopRequests;
  readonly later: Later;
  /** Gives an answer, over connections that may break. */
  readonly persist: <Result>(
    work: (options: { readonly signal: AbortSignal }) => Promise<Result>,
  ) => Promise<Result>;
  /** One is open that nobody here will answer; how it can be answered elsewhere has been said. */
  readonly onUnanswered: () => void;
  readonly onFailure: (error: unknown) => void;
}

export function createQuestions(options: QuestionsOptions): Questions {
  const { client, sessionId, terminal, screen, toolOf, stops, later, persist } = options;
  const { onUnanswered, onFailure } = options;
  const paint = createPaint(terminal.stderr);
  const open = new Map<string, OpenSuspension>();
  /** Left to others; they are not asked about again. */
  const left = new Set<string>();
  let current: { readonly id: string; readonly asked: Asked; given: string | null } | null = null;
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
    const asked = askPerson(question, { terminal, later, onInterrupt: stops.press });
    current = { id: question.id, asked, given: null };
    void asked.answer.then((answer) => {
      if (current?.asked !== asked || isOver) return;
      if (answer === null) return leave(question);
      current.given = answer;
      say(paint.dim(`→ ${saidIn(question, answer)}`));
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
      const { asked, given } = current;
      current = null;
      asked.close();
      const isOurs = given !== null && answerIn(suspension) === given;
      if (!isOurs) say(paint.dim(`→ ${closedElsewhere(suspension)}`));
      screen.release();
      next();
    },
    close() {
      isOver = true;
      current?.asked.close();
      if (current !== null) screen.release();
      current = null;
    },
  };
}

/** Somebody else was faster; the event that closes it says so. */
const LATE: ReadonlySet<string> = new Set(["suspension_answered", "suspension_not_open"]);

function saidIn(question: Question, answer: string): string {
  const options = question.ask === "choice" ? question.options : [];
  const option = options.find(({ optionId }) => optionId === answer);
  return option === undefined ? neutraliseLine(answer) : nameOf(option);
}

function closedElsewhere(suspension: AskedNow): string {
  const { status, answeredBy } = suspension;
  if (status !== "answered") return `no longer asked: ${status}`;
  const by = answeredBy === undefined || answeredBy === null ? "" : ` by ${answeredBy}`;
  const answer = answerIn(suspension);
  const what = answer === null ? "" : `: ${saidIn(questionOf(suspension), answer)}`;
  return neutraliseLine(`answered elsewhere${by}${what}`);
}

const chosenSchema = z.object({ optionId: z.string() });

/** The option that was chosen, or the text that was given; null for anything else. */
function answerIn({ answer }: AskedNow): string | null {
  if (typeof answer === "string") return answer;
  return chosenSchema.safeParse(answer).data?.optionId ?? null;
}
