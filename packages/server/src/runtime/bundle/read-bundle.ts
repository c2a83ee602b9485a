import type { AgentChoice } from "../../domain/choose-agent.ts";
import type { QueueEntry } from "../../domain/delivery.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ResumePoint } from "../../domain/resume-point.ts";
import type { Session } from "../../domain/session.ts";
import type { StagedMessage, StagedSuspension } from "../../storage/ports/import-store.ts";
import type { BundleLimits } from "./bundle-limits.ts";
import { bundleChecksum } from "./bundle-lines.ts";
import {
  parseEnd,
  parseHeader,
  parseMessage,
  parseQueued,
  parseRepo,
  parseRun,
  parseSession,
  parseSuspension,
  type BundleRun,
  type BundleSession,
} from "./parse-bundle.ts";
import { BadLine, parseLine, shown } from "./parse-line.ts";

/** The bundle cannot be imported. The message names the line and its problem. */
export class BadBundle extends Error {}

/** The current state of the session. Its history stays in the lines. */
export interface BundleOutline {
  readonly session: BundleSession;
  readonly repoPath: string | null;
  readonly waitingRun: BundleRun | null;
  /** The open suspensions of the waiting run. */
  readonly open: readonly StagedSuspension[];
  /** By run id. */
  readonly queue: ReadonlyMap<string, QueueEntry>;
  /** The message id of each queued run, by run id. */
  readonly queuedRuns: ReadonlyMap<string, string>;
  readonly earlierRuns: ReturnType<typeof createEarlierRuns>;
}

export interface ReadOptions {
  readonly limits: BundleLimits;
  /** Called after the second line. An error it throws ends the reading. */
  readonly onSession: (sessionId: string) => Promise<void>;
  /** Called with each valid line, including the header and the end. */
  readonly onLine: (line: string) => Promise<void>;
}

const SESSION_LINE = 2;

/** Validates a bundle line by line without keeping the lines. Throws `BadBundle` at the first invalid line. */
export async function readBundle(
  lines: AsyncIterable<string>,
  { limits, onSession, onLine }: ReadOptions,
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
    if (count === SESSION_LINE) await onSession(reader.sessionId);
    await onLine(line);
  }
  return reader.finish();
}

function createReader(limits: BundleLimits) {
  let header: ReturnType<typeof parseHeader> | null = null;
  let session: BundleSession | null = null;
  let repoPath: string | null = null;
  let waitingRun: BundleRun | null = null;
  let lastSeq = 1; // the creation of the session is the first entry of every log
  let openLength = 0;
  let isEnded = false;
  const open: StagedSuspension[] = [];
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
    else if (session === null) session = takeSession(line, text.length, header.sessionId);
    else if (line["type"] === "end") return takeEnd(line, number, header);
    else takeHistory(line, text.length, session);
    checksum.add(text);
  }

  function takeSession(line: JsonObject, length: number, sessionId: string): BundleSession {
    if (line["type"] !== "session") throw new BadLine("is not the session");
    if (length > limits.sessionLength)
      throw new BadLine(`is longer than ${limits.sessionLength} characters`);
    const parsed = parseSession(line);
    if (parsed.session.id !== sessionId)
      throw new BadLine("has another session id than the header");
    return parsed;
  }

  function takeHistory(line: JsonObject, length: number, bundle: BundleSession): void {
    switch (line["type"]) {
      case "repo":
        repoPath = parseRepo(line).path;
        return;
      case "run":
        return takeRun(parseRun(line), length, bundle);
      case "suspension":
        return takeSuspension(parseSuspension(line), length);
      case "message":
        return takeMessage(parseMessage(line), bundle);
      case "queued":
        return takeQueued(parseQueued(line));
      default:
        throw new BadLine(`has an unknown type: ${shown(line["type"] ?? null)}`);
    }
  }

  function takeRun(run: BundleRun, length: number, bundle: BundleSession): void {
    const { id, status, messageId, endedAt } = run;
    const isOpen = status === "queued" || status === "suspended";
    if (status === "running" || isOpen !== (endedAt === null))
      throw new BadLine(`is a ${status} run ${endedAt === null ? "without" : "with"} an end`);
    if (bundle.isOfOld) earlierRuns.add(run, bundle.session.resumeData);
    if (!isOpen) return;
    countOpen(length);
    if (status === "suspended") {
      if (bundle.waitingRun?.id !== id)
        throw new BadLine("is a suspended run, but the session does not wait for it");
      if (waitingRun !== null) throw new BadLine(`repeats the id ${id}`);
      waitingRun = run;
      return;
    }
    if (queuedRuns.has(id)) throw new BadLine(`repeats the id ${id}`);
    queuedRuns.set(id, messageId);
  }

  function takeSuspension(suspension: StagedSuspension, length: number): void {
    const { id, status, closedAt } = suspension;
    if ((status === "open") !== (closedAt === null))
      throw new BadLine(
        `is a suspension with the status ${status} and ${closedAt === null ? "no" : "a"} closedAt`,
      );
    if (status !== "open") return;
    countOpen(length);
    if (open.some((other) => other.id === id)) throw new BadLine(`repeats the id ${id}`);
    open.push(suspension);
  }

  function takeMessage({ seq }: StagedMessage, bundle: BundleSession): void {
    if (seq <= lastSeq) throw new BadLine(`is out of order: its seq is ${seq}`);
    if (seq > bundle.lastSeq) throw new BadLine("has a seq above the session's lastSeq");
    lastSeq = seq;
  }

  /** Keeps the entry without its content: queues, and their messages, can be long. */
  function takeQueued({
    content: _,
    queuedAt: _at,
    ...entry
  }: ReturnType<typeof parseQueued>): void {
    countOpen(JSON.stringify(entry).length);
    if (queuedMessages.has(entry.messageId)) throw new BadLine("repeats a queued message");
    if (queue.has(entry.runId)) throw new BadLine(`is a second message of run ${entry.runId}`);
    queuedMessages.add(entry.messageId);
    queue.set(entry.runId, entry);
  }

  function countOpen(length: number): void {
    openLength += length;
    if (openLength > limits.openLength)
      throw new BadLine(
        `exceeds the limit of ${limits.openLength} characters for open runs, suspensions and the queue`,
      );
  }

  function takeEnd(line: JsonObject, number: number, { version }: { version: number }): void {
    const { lines, sha256 } = parseEnd(line, version);
    if (lines !== number) throw new BadLine(`ends a bundle of ${lines} lines`);
    if (version > 1 && sha256 !== checksum.end())
      throw new BadLine("has a checksum that does not match: the bundle was changed");
    isEnded = true;
  }

  function finish(): BundleOutline {
    if (session === null || !isEnded)
      throw new BadBundle("The bundle is incomplete: its last line is missing.");
    return { session, repoPath, waitingRun, open, queue, queuedRuns, earlierRuns };
  }

  return {
    take,
    finish,
    /** Empty before the second line. */
    get sessionId(): string {
      return session?.session.id ?? "";
    },
  };
}

/** Derives from the runs of a bundle of 0.1 the fields that its session line lacks. */
function createEarlierRuns() {
  const lastSeen = new Map<string, { readonly id: string; readonly startedAt: number }>();
  let last: (AgentChoice & { readonly startedAt: number }) | null = null;
  return {
    add(run: BundleRun, points: readonly ResumePoint[]): void {
      const { id, provider, model, startedAt, attempts } = run;
      if (provider === null || startedAt === null) return;
      if (startedAt >= (last?.startedAt ?? 0)) last = { provider, model, startedAt };
      const hasPoint = attempts > 0 && points.some((point) => point.provider === provider);
      if (hasPoint && startedAt >= (lastSeen.get(provider)?.startedAt ?? 0))
        lastSeen.set(provider, { id, startedAt });
    },
    /** The agent of the last run, and the last run that each resume point has seen. */
    read: (points: readonly ResumePoint[]): Pick<Session, "lastRun" | "resumeData"> => ({
      lastRun: last && { provider: last.provider, model: last.model },
      resumeData: points.map((point) => ({
        ...point,
        seen: point.provider === null ? null : (lastSeen.get(point.provider)?.id ?? null),
      })),
    }),
  };
}
