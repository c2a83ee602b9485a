import { looseNumber, looseObject } from "./loose.ts";
import type { RequestId } from "./parse-frame.ts";

/** What an earlier server and an agent have said to each other. */
export interface EarlierTraffic {
  /** The number of bytes of the agent's output that are not read again. */
  readonly offset: number;
  /** The ID of the last request to the agent. */
  readonly lastId: number;
  /** Requests to the agent. Their replies may be in the output that is read again. */
  readonly requests: readonly EarlierRequest[];
  /** Methods of notifications to the agent. */
  readonly notified: ReadonlySet<string>;
  /** Requests of the agent that have got their reply. */
  readonly replied: ReadonlySet<RequestId>;
}

export interface EarlierRequest {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/** Reads the lines that an agent has got. A line that is no message of ours is skipped. */
export function readEarlierTraffic(
  lines: readonly string[],
  start: Pick<EarlierTraffic, "offset" | "lastId">,
): EarlierTraffic {
  const requests: EarlierRequest[] = [];
  const notified = new Set<string>();
  const replied = new Set<RequestId>();
  for (const line of lines) {
    const { id, method, params } = parse(line);
    if (typeof method === "string") {
      const number = looseNumber(id);
      if (number === null) notified.add(method);
      else requests.push({ id: number, method, params });
    } else if (typeof id === "string" || typeof id === "number") replied.add(id);
  }
  const lastId = Math.max(start.lastId, ...requests.map(({ id }) => id));
  return { offset: start.offset, lastId, requests, notified, replied };
}

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    return looseObject(JSON.parse(line)) ?? {};
  } catch {
    return {};
  }
}
