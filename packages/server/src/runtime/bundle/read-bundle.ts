import type { QueueEntry } from "../../domain/delivery.ts";
import type { JsonObject } from "../../domain/json.ts";
import { bundleChecksum } from "./bundle-checksum.ts";
import type { BundleLimits } from "./bundle-limits.ts";
import { createEarlierRuns, type EarlierRuns } from "./earlier-runs.ts";
import { BadLine, countIn, parseLine, textIn } from "./line-fields.ts";
import {
  parseHeader,
  parseMessage,
  parseQueued,
  parseRepo,
  parseRun,
  parseSession,
  parseSuspension,
  type BundleMessage,
  type BundleQueued,
  type BundleRun,
  type BundleSession,
  type BundleSuspension,
} from "./parse-bundle.ts";

/** The bundle cannot be imported; the message says which line is wrong, and how. */
export class BadBundle extends Error {}

/** What the lines say of the session now; its history stays in them. */
export interface BundleOutline {
  readonly session: BundleSession;
  readonly repoPath: string | null;
  /** The one that waits. */
  readonly waitingRun: BundleRun | null;
  /** What it waits for. */
  readonly open: readonly BundleSuspension[];
  /** By run. */
  readonly queue: ReadonlyMap<string, QueueEntry>;
  /** Runs that say they are queued, and the message of each. */
  readonly queuedRuns: ReadonlyMap<string, string>;
  readonly earlierRuns: EarlierRuns;
}

export interface Reading {
  readonly limits: BundleLimits;
  /** Called before anything else is read; what it throws ends the reading. */
  readonly onSession: (sessionId: string) => Promise<void>;
  /** Called with each line that is in order, the first and the last included. */
  readonly onLine: (line: string) => Promise<void>;
}

/**
 * Reads to the end and checks what can be checked line by line, without keeping them. Throws `BadBundle`
 * as soon as a line is wrong.
 */
export async function readBundle(
  lines: AsyncIterable<string>,
  { limits, onSession, onLine }: Reading,
): Promise<BundleOutline> {
  const reader = createReader(limits);
  let total = 0;
  let count = 0;
  for await (const line of lines) {
    count += 1;
    total += line.length;
    if (total > limits.totalLength)
      throw new BadBundle(`The bundle is longer than ${limits.totalLength} characters.`);
    try {
      reader.take(line, count);
    } catch (error) {
      if (error instanceof BadLine) throw new BadBundle(`Line ${count} ${error.message}.`);
      throw error;
    }
    if (count === SESSION_LINE) await onSession(reader.sessionId());
    await onLine(line);
  }
  return reader.finish();
}

const SESSION_LINE = 2;

function createReader(limits: BundleLimits) {
  let header: ReturnType<typeof parseHeader> | null = null;
  let session: BundleSession | null = null;
  let repoPath: string | null = null;
  let waitingRun: BundleRun | null = null;
  let lastSeq = 1; // the first number of every log is the session's creation
  let openLength = 0;
  let isEnded = false;
  const open: BundleSuspension[] = [];
  const queue = new Map<string, QueueEntry>();
  const queuedMessages = new Set<string>();
  const queuedRuns = new Map<string, string>();
  const earlierRuns = createEarlierRuns();
  const checksum = bundleChecksum();

  function take(text: string, number: number): void {
    if (text.length > limits.lineLength)
      throw new BadLine(`is longer than ${limits.lineLength} characters`);
    if (text.includes("\n")) throw new BadLine("is more than one line");
    if (isEnded) throw new BadLine("comes after the end");
    const line = parseLine(text);
    if (header === null) header = parseHeader(line);
    else if (session === null) session = takeSession(line, text.length);
    else if (textIn(line, "type") === "end") return takeEnd(line, number);
    else takeMore(line, text.length);
    checksum.add(text);
  }

  function takeSession(line: JsonObject, length: number): BundleSession {
    if (textIn(line, "type") !== "session") throw new BadLine("is not the session");
    if (length > limits.sessionLength)
      throw new BadLine(`is longer than ${limits.sessionLength} characters`);
    const parsed = parseSession(line);
    if (parsed.session.id !== header?.sessionId)
      throw new BadLine("is another session than the header's");
    return parsed;
  }

  function takeMore(line: JsonObject, length: number): void {
    const type = textIn(line, "type");
    switch (type) {
      case "repo":
        repoPath = parseRepo(line).path;
        return;
      case "run":
        return takeRun(parseRun(line), length);
      case "suspension":
        return takeSuspension(parseSuspension(line), length);
      case "message":
        return takeMessage(parseMessage(line));
      case "queued":
        return takeQueued(parseQueued(line));
      default:
        throw new BadLine(`is of an unknown type: ${JSON.stringify(type.slice(0, 60))}`);
    }
  }

  function takeRun(run: BundleRun, length: number): void {
    const { id, status, messageId, endedAt } = run;
    const isOpen = status === "queued" || status === "suspended";
    if (status === "running" || isOpen !== (endedAt === null))
      throw new BadLine(
        `is a run that is ${status}, and has ${endedAt === null ? "no" : "an"} end`,
      );
    if (session?.isOfOld === true) earlierRuns.add(run, session.session.resumeData);
    if (!isOpen) return;
    keepOpen(length);
    if (status === "suspended") {
      if (session?.waitingRun?.id !== id)
        throw new BadLine("is a run that waits, and its session does not");
      if (waitingRun !== null) throw new BadLine(`repeats the id ${id}`);
      waitingRun = run;
      return;
    }
    if (queuedRuns.has(id)) throw new BadLine(`repeats the id ${id}`);
    queuedRuns.set(id, messageId);
  }

  function takeSuspension(suspension: BundleSuspension, length: number): void {
    const { status, closedAt } = suspension;
    if ((status === "open") !== (closedAt === null))
      throw new BadLine(`is a suspension that is ${status}, unlike its end`);
    if (status !== "open") return;
    keepOpen(length);
    if (open.some(({ id }) => id === suspension.id))
      throw new BadLine(`repeats the id ${suspension.id}`);
    open.push(suspension);
  }

  function takeMessage({ seq }: BundleMessage): void {
    if (seq <= lastSeq) throw new BadLine(`is out of order: seq is ${seq}`);
    if (seq > (session?.lastSeq ?? 0)) throw new BadLine("has a seq above the session's lastSeq");
    lastSeq = seq;
  }

  /** What it says stays in the lines: queues may be long, and their messages too. */
  function takeQueued({ entry }: BundleQueued): void {
    keepOpen(JSON.stringify(entry).length);
    if (queuedMessages.has(entry.messageId)) throw new BadLine("repeats a queued message");
    if (queue.has(entry.runId)) throw new BadLine(`is a second message of run ${entry.runId}`);
    queuedMessages.add(entry.messageId);
    queue.set(entry.runId, entry);
  }

  function keepOpen(length: number): void {
    openLength += length;
    if (openLength > limits.openLength)
      throw new BadLine(
        `is one too many: all that is not over is longer than ${limits.openLength} characters`,
      );
  }

  function takeEnd(line: JsonObject, number: number): void {
    if (countIn(line, "lines") !== number)
      throw new BadLine(`ends a bundle of ${countIn(line, "lines")} lines`);
    // The first version had no checksum.
    if (header !== null && header.version > 1 && textIn(line, "sha256") !== checksum.end())
      throw new BadLine("has another checksum than the lines before it: the bundle was changed");
    isEnded = true;
  }

  function finish(): BundleOutline {
    if (session === null || !isEnded)
      throw new BadBundle("The bundle is not whole: its last line is missing.");
    return { session, repoPath, waitingRun, open, queue, queuedRuns, earlierRuns };
  }

  function sessionId(): string {
    if (session === null) throw new Error("unreachable: the session is the second line");
    return session.session.id;
  }

  return { take, finish, sessionId };
}
