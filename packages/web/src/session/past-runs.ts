import type { Sessions } from "@holdfast/client";
import type { Message, Run } from "@holdfast/protocol";

/** The limits for reading back the log, in entries and characters. */
const ENTRIES = 400;
const CHARACTERS = 200_000;
const AT_MOST_MS = 8_000;

export interface PastRuns {
  readonly runs: readonly Run[];
  readonly complete: boolean;
}

/**
 * Reads the runs from a part of the session's log. Complete when the whole log was read. The list of runs starts with
 * the oldest one, so it does not help to find the latest.
 */
export async function readPastRuns(
  sessions: Pick<Sessions, "events">,
  {
    id,
    after,
    until,
    signal,
  }: {
    readonly id: string;
    readonly after: number;
    readonly until: number;
    readonly signal: AbortSignal;
  },
): Promise<PastRuns> {
  if (until === 0) return { runs: [], complete: true };
  const runs = new Map<string, Run>();
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(AT_MOST_MS)]);
  let isWhole = false;
  for await (const event of sessions.events(id, { after, signal: ended })) {
    if (event.type === "run") runs.set(event.data.id, event.data);
    if (event.id === null || Number(event.id) < until) continue;
    isWhole = true;
    stop.abort();
  }
  return { runs: [...runs.values()], complete: isWhole && after === 0 };
}

/** The position to read from: it bounds how much known content is transferred again. */
export function pastStart(messages: readonly Message[], until: number): number {
  const first = Math.max(0, until - ENTRIES);
  let characters = 0;
  for (const { seq, content } of messages.toReversed()) {
    if (seq <= first) return first;
    characters += JSON.stringify(content).length;
    if (characters > CHARACTERS) return seq;
  }
  return first;
}
