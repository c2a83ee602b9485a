import type { JsonObject } from "../../domain/json.ts";
import type {
  StagedMessage,
  StagedQueueEntry,
  StagedRun,
  StagedSuspension,
} from "../../storage/ports/import-store.ts";
import {
  parseMessage,
  parseQueued,
  parseRun,
  parseSuspension,
  type BundleRun,
} from "./parse-bundle.ts";
import { parseLine } from "./parse-line.ts";
import type { BundleOutline } from "./read-bundle.ts";

/** Rows of one part, and characters of its lines. They bound the memory and the time others wait. */
const PART_ROWS = 250;
const PART_LENGTH = 256 * 1024;

/** A part of the history. */
export interface BundlePart {
  readonly messages: StagedMessage[];
  readonly runs: StagedRun[];
  readonly suspensions: StagedSuspension[];
  readonly queued: StagedQueueEntry[];
  /** The line number of each id. */
  readonly lineOf: Map<string, number>;
}

/** Everything in the lines that the outline does not have. The lines have been validated. */
export async function* bundleParts(
  lines: AsyncIterable<string>,
  outline: BundleOutline,
): AsyncGenerator<BundlePart> {
  let part = emptyPart();
  let length = 0;
  let count = 0;
  let position = 0;

  /** Returns the id of the row; null for a line that is not part of the history. */
  const add = (line: JsonObject): string | null => {
    switch (line["type"]) {
      case "run": {
        const run = parseRun(line);
        part.runs.push(stagedRun(run, outline));
        return run.id;
      }
      case "suspension": {
        const suspension = parseSuspension(line);
        if (suspension.status === "open") return null;
        part.suspensions.push(suspension);
        return suspension.id;
      }
      case "message": {
        const message = parseMessage(line);
        part.messages.push(message);
        return message.id;
      }
      case "queued": {
        const message = parseQueued(line);
        position += 1;
        part.queued.push({ ...message, position });
        return message.messageId;
      }
      default:
        return null;
    }
  };

  for await (const text of lines) {
    count += 1;
    const id = count === 1 ? null : add(parseLine(text));
    if (id === null) continue;
    part.lineOf.set(id, count);
    length += text.length;
    if (part.lineOf.size < PART_ROWS && length < PART_LENGTH) continue;
    yield part;
    part = emptyPart();
    length = 0;
  }
  if (part.lineOf.size > 0) yield part;
}

function emptyPart(): BundlePart {
  return { messages: [], runs: [], suspensions: [], queued: [], lineOf: new Map() };
}

/** Only the session and its queue have some fields of an open run. */
function stagedRun(run: BundleRun, { session, queue }: BundleOutline): StagedRun {
  const { waitingRun } = session;
  if (waitingRun?.id === run.id) {
    const { continuity, handed } = waitingRun;
    return { ...run, continuity, handed };
  }
  return { ...run, continuity: queue.get(run.id)?.continuity ?? "auto", handed: false };
}
