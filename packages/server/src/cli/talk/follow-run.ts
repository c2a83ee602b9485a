import { errorText } from "../../domain/error-text.ts";
import { HoldfastError, type Client } from "@holdfast/client";
import type { Message, Run, SendMessageReply, WholeSession } from "@holdfast/protocol";
import { Writable } from "node:stream";
import { EXIT } from "../exit.ts";
import { failureOf } from "../failure/failure.ts";
import { followEvents, type FollowOptions } from "./follow-events.ts";
import { canAsk, WIDE, type Later, type Output } from "../terminal/terminal.ts";
import { versionedLine } from "../terminal/json-output.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { createPaint } from "../terminal/paint.ts";
import { persist } from "../terminal/persist.ts";
import { createQuestions } from "./questions.ts";
import { usageLine } from "./message-lines.ts";
import { createScreen } from "../terminal/screen.ts";
import { sendResult } from "./send-result.ts";
import {
  orStop,
  STOP_CODES,
  type StopRequest,
  type StopRequests,
} from "../terminal/stop-requests.ts";
import { createTranscriptView } from "./transcript-view.ts";
import { commandLine } from "../terminal/invocation.ts";

export interface FollowRunOptions extends FollowOptions {
  /** The session before the message was sent, and the reply to it. */
  readonly before: WholeSession;
  readonly sent: SendMessageReply;
  readonly stops: StopRequests;
  readonly giveUpMs: number;
  readonly later: Later;
  readonly signal: AbortSignal;
}

/** The time for a second Ctrl-C. */
const SECOND_MS = 2_000;
const CANCEL_MS = 5_000;

/** Shows a run until it ends or is suspended without an answer here. Resolves to the exit code. */
export async function followRun(options: FollowRunOptions): Promise<number> {
  const { client, sessionId, before, sent, stops, giveUpMs, later, signal } = options;
  const isJson = options.json === true;
  const { stdin, stderr, signals } = options.terminal;
  const terminal = { stdin, stderr, signals, stdout: isJson ? NOWHERE : options.terminal.stdout };
  const screen = createScreen(terminal);
  const paint = { answer: createPaint(terminal.stdout), beside: createPaint(stderr) };
  const view = createTranscriptView({
    screen,
    paint,
    columns: stderr.columns,
    isShown: ({ runId, role }) => runId === sent.run.id && role !== "user",
  });
  const dim = (text: string): void => screen.notice(paint.beside.dim(text));
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<"suspended">();
  const onBroken = (): void => dim("Reconnecting…");
  const persistence = { giveUpMs, later, signal, onBroken };
  const questions = createQuestions({
    client,
    sessionId,
    terminal,
    screen,
    stops,
    later,
    toolOf: view.toolOf,
    persist: (work) => persist(work, persistence),
    onUnanswered: () => end("suspended"),
    onFailure: fail,
  });

  let run: Run = sent.run;
  const outcome = outcomeOf(sent);
  if (outcome !== null) dim(outcome);
  if (sent.queued) {
    for (const open of before.suspensions) questions.take({ ...open, status: "open" });
  }

  const showRest = async (): Promise<readonly Message[]> => {
    const after = Number(before.lastEventId);
    const all = await persist((call) => messagesAfter(client, sessionId, after, call), persistence);
    const own = all.filter(({ runId }) => runId === run.id);
    for (const message of own) view.message(message);
    return own;
  };

  const finish = async (exitCode: number): Promise<number> => {
    questions.close();
    const messages = await showRest();
    view.end();
    const used = exitCode === EXIT.suspended ? "" : usageLine(run);
    if (used !== "") dim(used);
    screen.end();
    if (isJson)
      options.terminal.stdout.stream.write(versionedLine(sendResult(run, messages, sent)));
    return exitCode;
  };

  try {
    const follow = await followEvents<"ended" | "suspended">({
      client,
      sessionId,
      stops,
      giveUpMs,
      later,
      ended,
      after: before.lastEventId,
      stdout: terminal.stdout,
      onConnection: (state) => (state === "broken" ? onBroken() : dim("Connected again.")),
      onEvent: async (event) => {
        view.take(event);
        if (event.type === "suspension") {
          // The event of the suspended run comes after the event of its suspension.
          const { runId, status } = event.data;
          if (runId === run.id && status === "open") run = { ...run, status: "suspended" };
          questions.take(event.data);
        }
        if (event.type !== "run" || event.data.id !== run.id) return null;
        run = event.data;
        return hasEnded(run) ? "ended" : null;
      },
    });
    switch (follow.end) {
      case "over":
        return await orStop(
          finish(follow.result === "suspended" ? EXIT.suspended : codeOf(run)),
          stops,
        );
      case "deleted":
        view.end();
        dim("— The session was deleted.");
        return EXIT.failed;
      case "lost":
        view.end();
        dim(
          `The server did not come back. To continue later: ${commandLine(`watch ${neutraliseLine(sessionId)}`)}`,
        );
        return EXIT.failed;
      case "stopped":
        questions.close();
        view.end();
        return await stopped(follow.by, options, run, screen.notice);
      default:
        return follow satisfies never;
    }
  } catch (error) {
    view.end();
    const { line, exitCode } = failureOf(error, sessionId);
    screen.notice(line);
    return exitCode;
  } finally {
    questions.close();
    screen.end();
  }
}

/** Detaches from the run; a second Ctrl-C cancels it. */
async function stopped(
  by: StopRequest,
  { client, sessionId, terminal, stops, later }: FollowRunOptions,
  run: Run,
  say: (text: string) => void,
): Promise<number> {
  if (by === "hangup") return STOP_CODES.hangup;
  const isPerson = by === "interrupt" && canAsk(terminal);
  const more = isPerson ? " Press Ctrl-C again to cancel it." : "";
  say(
    `Detached; the run continues.${more} Follow it with: ${commandLine(`watch ${neutraliseLine(sessionId)}`)}`,
  );
  if (!isPerson || (await stops.within(SECOND_MS, later)) !== "interrupt") return STOP_CODES[by];
  try {
    await cancel(client, run, AbortSignal.timeout(CANCEL_MS));
    say("Cancelled.");
  } catch (error) {
    const reason = errorText(error);
    const again = commandLine(`cancel ${neutraliseLine(sessionId)}`);
    say(`Could not cancel the run (${neutraliseLine(reason)}). To try again: ${again}`);
  }
  return EXIT.failed;
}

/** A message that is still queued is withdrawn instead, since cancelling would stop the run before it. */
async function cancel(
  client: Client,
  { sessionId, messageId, status }: Run,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (status === "queued")
      return void (await client.sessions.withdrawQueued(sessionId, messageId, { signal }));
  } catch (error) {
    const hasBegun = error instanceof HoldfastError && error.code === "message_not_queued";
    if (!hasBegun) throw error;
  }
  await client.sessions.cancel(sessionId, { reason: "from the terminal" }, { signal });
}

/** The messages of a session after an event number, each once, in their current version. */
async function messagesAfter(
  client: Client,
  sessionId: string,
  after: number,
  call: { readonly signal: AbortSignal },
): Promise<readonly Message[]> {
  const messages = new Map<string, Message>();
  for (let last = after; ;) {
    const page = await client.sessions.messages(sessionId, { after: last }, call);
    for (const message of page.messages) messages.set(message.id, message);
    // A page ends before a message that can still change; the next one would start with it again.
    if (page.messages.length === 0 || page.nextAfter <= last) return [...messages.values()];
    last = page.nextAfter;
  }
}

function hasEnded({ status }: Run): boolean {
  return status !== "queued" && status !== "running" && status !== "suspended";
}

function codeOf({ status }: Run): number {
  return status === "completed" ? EXIT.done : EXIT.failed;
}

const NOWHERE: Output = {
  stream: new Writable({ write: (_chunk, _encoding, done) => done() }),
  isTerminal: false,
  colour: false,
  columns: () => WIDE,
};

/** What became of the message, if it did not simply start its run. */
export function outcomeOf({ steering, waitsFor }: SendMessageReply): string | null {
  switch (steering) {
    case "injected":
      return "— Injected: the running agent took the message.";
    case "unknown":
      return `— Unknown: ${neutraliseLine(waitsFor ?? "")}`;
    case "pending":
    case "queued":
    case undefined:
      return waitsFor === null ? null : `— Queued: ${neutraliseLine(waitsFor)}`;
    default:
      return steering satisfies never;
  }
}
