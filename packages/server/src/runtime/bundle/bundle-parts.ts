import type {
  StagedMessage,
  StagedQueueEntry,
  StagedRun,
  StagedSuspension,
} from "../../storage/ports/import-store.ts";
import { parseLine, textIn } from "./line-fields.ts";
import {
  parseMessage,
  parseQueued,
  parseRun,
  parseSuspension,
  type BundleRun,
} from "./parse-bundle.ts";
import type { BundleOutline } from "./read-bundle.ts";

/** Rows of one part, and characters of its lines: so much is in memory, and so long others wait. */
const PART_ROWS = 250;
const PART_LENGTH = 256 * 1024;

/** Some of the history, with the number of the line that brought each id. */
export interface BundlePart {
  readonly messages: StagedMessage[];
  readonly runs: StagedRun[];
  readonly suspensions: StagedSuspension[];
  readonly queued: StagedQueueEntry[];
  readonly lineOf: Map<string, number>;
}

/** All that the lines bring besides what the outline has; they have been read before. */
export async function* bundleParts(
  lines: AsyncIterable<string>,
  outline: BundleOutline,
): AsyncGenerator<BundlePart> {
  let part = emptyPart();
  let rows = 0;
  let length = 0;
  let count = 0;
  let position = 0;
  for await (const text of lines) {
    count += 1;
    const line = count === 1 ? {} : parseLine(text);
    switch (line["type"]) {
      case "run":
        part.runs.push(arrivingRun(parseRun(line), outline));
        break;
      case "suspension": {
        const suspension = parseSuspension(line);
        if (suspension.status === "open") continue;
        part.suspensions.push(suspension);
        break;
      }
      case "message":
        part.messages.push(parseMessage(line));
        break;
      case "queued": {
        const { entry, content, queuedAt } = parseQueued(line);
        position += 1;
        part.queued.push({ ...entry, content, queuedAt, position });
        break;
      }
      default:
        continue;
    }
    part.lineOf.set(textIn(line, line["type"] === "queued" ? "messageId" : "id"), count);
    rows += 1;
    length += text.length;
    if (rows < PART_ROWS && length < PART_LENGTH) continue;
    yield part;
    part = emptyPart();
    rows = 0;
    length = 0;
  }
  if (rows > 0) yield part;
}

function emptyPart(): BundlePart {
  return { messages: [], runs: [], suspensions: [], queued: [], lineOf: new Map() };
}

/** What only the session and its queue know of a run that is not over. */
function arrivingRun(run: BundleRun, { session, queue }: BundleOutline): StagedRun {
  const { waitingRun } = session;
  if (waitingRun?.id === run.id) {
    const { continuity, handed } = waitingRun;
    return { ...run, continuity, handed };
  }
  return { ...run, continuity: queue.get(run.id)?.continuity ?? "auto", handed: false };
}
