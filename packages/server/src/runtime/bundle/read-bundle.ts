import type { JsonObject } from "../../domain/json.ts";
import type { BundleLimits } from "./bundle-limits.ts";
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

/** Everything the lines say, each checked by itself. */
export interface Bundle {
  readonly session: BundleSession;
  readonly repoPath: string | null;
  readonly runs: ReadonlyMap<string, BundleRun>;
  readonly suspensions: ReadonlyMap<string, BundleSuspension>;
  readonly messages: readonly BundleMessage[];
  readonly queued: ReadonlyMap<string, BundleQueued>;
}

/** Throws `BadBundle`, as soon as a line is wrong. */
export async function readBundle(
  lines: AsyncIterable<string>,
  limits: BundleLimits,
): Promise<Bundle> {
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
  }
  return reader.finish();
}

function createReader(limits: BundleLimits) {
  let sessionId: string | null = null;
  let session: BundleSession | null = null;
  let repoPath: string | null = null;
  let isEnded = false;
  const runs = new Map<string, BundleRun>();
  const suspensions = new Map<string, BundleSuspension>();
  const queued = new Map<string, BundleQueued>();
  const messages: BundleMessage[] = [];
  const messageIds = new Set<string>();

  function take(text: string, number: number): void {
    if (text.length > limits.lineLength)
      throw new BadLine(`is longer than ${limits.lineLength} characters`);
    if (isEnded) throw new BadLine("comes after the end");
    const line = parseLine(text);
    if (sessionId === null) sessionId = parseHeader(line).sessionId;
    else if (session === null) session = takeSession(line, text.length);
    else takeMore(line, number);
  }

  function takeSession(line: JsonObject, length: number): BundleSession {
    if (textIn(line, "type") !== "session") throw new BadLine("is not the session");
    if (length > limits.sessionLength)
      throw new BadLine(`is longer than ${limits.sessionLength} characters`);
    const parsed = parseSession(line);
    if (parsed.session.id !== sessionId) throw new BadLine("is another session than the header's");
    return parsed;
  }

  function takeMore(line: JsonObject, number: number): void {
    const type = textIn(line, "type");
    switch (type) {
      case "repo":
        repoPath = parseRepo(line).path;
        return;
      case "run":
        return addTo(runs, parseRun(line));
      case "suspension":
        return addTo(suspensions, parseSuspension(line));
      case "message":
        return takeMessage(parseMessage(line));
      case "queued": {
        const message = parseQueued(line);
        if (queued.has(message.entry.messageId)) throw new BadLine("repeats a queued message");
        queued.set(message.entry.messageId, message);
        return;
      }
      case "end":
        if (countIn(line, "lines") !== number)
          throw new BadLine(`ends a bundle of ${countIn(line, "lines")} lines`);
        isEnded = true;
        return;
      default:
        throw new BadLine(`is of an unknown type: ${JSON.stringify(type.slice(0, 60))}`);
    }
  }

  function takeMessage(message: BundleMessage): void {
    const { id, seq } = message;
    if (messageIds.has(id)) throw new BadLine(`repeats the id ${id}`);
    // The first number of every log is the session's creation.
    if (seq <= (messages.at(-1)?.seq ?? 1)) throw new BadLine(`is out of order: seq is ${seq}`);
    if (seq > (session?.lastSeq ?? 0)) throw new BadLine("has a seq above the session's lastSeq");
    messageIds.add(id);
    messages.push(message);
  }

  function finish(): Bundle {
    if (session === null || !isEnded)
      throw new BadBundle("The bundle is not whole: its last line is missing.");
    return { session, repoPath, runs, suspensions, messages, queued };
  }

  return { take, finish };
}

function addTo<Row extends { readonly id: string }>(rows: Map<string, Row>, row: Row): void {
  if (rows.has(row.id)) throw new BadLine(`repeats the id ${row.id}`);
  rows.set(row.id, row);
}
