import { HoldfastError, type Client } from "@holdfast/client";
import {
  answerEntries,
  elicitationAnswerSchema,
  refusedFields,
  type ElicitationAnswer,
  type FieldError,
  type OpenSuspension,
  type Suspension,
  type ToolContent,
} from "@holdfast/protocol";
import { z } from "zod";
import { isDeepStrictEqual } from "node:util";
import { askPerson, type AskedQuestion, type OpenPrompt, type TypedAnswer } from "./ask-person.ts";
import { type Later, canAsk, type Terminal } from "../terminal/terminal.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { createPaint } from "../terminal/paint.ts";
import { createFormDialog, type FormDialog } from "./form/form-dialog.ts";
import { formOutline } from "./form/form-outline.ts";
import { questionOf, type Question } from "./question.ts";
import { nameOf } from "./option-text.ts";
import { answerCommands, keysLine, questionLines } from "./question-lines.ts";
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
  let current: {
    readonly id: string;
    readonly prompt: OpenPrompt;
    answer: TypedAnswer | null;
  } | null = null;
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
    if (question.ask === "form")
      say(...formOutline(question.form, { paint, columns: terminal.stderr.columns() }));
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
    const dialog = question.ask === "form" ? createFormDialog(question.form) : null;
    if (question.ask !== "nothing" && canAsk(terminal)) return ask(question, dialog);
    leave(question);
    next();
  };

  const ask = (question: AskedQuestion, dialog: FormDialog | null): void => {
    if (question.ask === "choice" || question.ask === "url")
      say(paint.dim(keysLine(question.options)));
    const prompt = askPerson(question, { dialog, terminal, later, onInterrupt: stops.press });
    current = { id: question.id, prompt, answer: null };
    void prompt.answer.then((answer) => {
      if (current?.prompt !== prompt || isOver) return;
      if (answer === null) return leave(question);
      current.answer = answer;
      say(paint.dim(`→ ${answerText(question, answer)}`));
      give(question.id, answer)
        .then((errors) => {
          if (errors === null || dialog === null || current?.prompt !== prompt) return;
          dialog.refuse(errors);
          ask(question, dialog);
        })
        .catch(onFailure);
    });
  };

  /** Resolves to the errors by field when the server refuses a form. */
  const give = async (
    suspensionId: string,
    answer: TypedAnswer,
  ): Promise<readonly FieldError[] | null> => {
    try {
      await persist((call) => client.sessions.answer(sessionId, { suspensionId, answer }, call));
      return null;
    } catch (error) {
      const errors = error instanceof HoldfastError ? refusedFields(error.problem) : null;
      if (errors !== null && typeof answer !== "string") return errors;
      const isLate = error instanceof HoldfastError && LATE.has(error.code);
      if (!isLate) throw error;
      return null;
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
      const isOurs = answer !== null && isDeepStrictEqual(answerIn(suspension), answer);
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

function answerText(question: Question, answer: TypedAnswer): string {
  if (typeof answer !== "string") return elicitationText(question, answer);
  const options = question.ask === "choice" ? question.options : [];
  const option = options.find(({ optionId }) => optionId === answer);
  return option === undefined ? neutraliseLine(answer) : nameOf(option);
}

function elicitationText(question: Question, answer: ElicitationAnswer): string {
  switch (answer.action) {
    case "accept": {
      if (question.ask !== "form") return "opened";
      const entries = answerEntries(question.form, answer.content ?? {});
      if (entries.length === 0) return "sent without values";
      return neutraliseLine(entries.map(({ title, text }) => `${title}: ${text}`).join("; "));
    }
    case "decline":
      return "declined";
    case "cancel":
      return "cancelled";
    default:
      return answer satisfies never;
  }
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

/** The chosen option, the text or the form; null for any other answer. */
function answerIn({ kind, answer }: SuspensionUpdate): TypedAnswer | null {
  if (typeof answer === "string") return answer;
  if (kind === "elicitation") return elicitationAnswerSchema.safeParse(answer).data ?? null;
  return chosenSchema.safeParse(answer).data?.optionId ?? null;
}
