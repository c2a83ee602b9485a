import { randomUUID } from "node:crypto";
import type { OutputPlace, ReportPlace } from "../provider.ts";
import type { EarlierTraffic } from "./wire/earlier-traffic.ts";

/** An agent that outlives the server. */
export interface HostedLink {
  readonly agent: string;
  /** What an earlier server has said to it. */
  readonly earlier?: EarlierTraffic;
  /** The last report that an earlier server has stored. */
  readonly stored?: OutputPlace | null;
}

/** Counts the reports of an agent that outlives the server. */
export interface ReportPlaces {
  /** A message is about to be handled, which ends at this offset. */
  readonly move: (offset: number) => void;
  /** The place of the next report; undefined if the agent ends with the server. */
  next(): ReportPlace | undefined;
  /** A name for what the message asks. Each server that reads the message gives it the same name. */
  readonly newId: () => string;
  readonly offset: number;
  /** Whether an earlier server has stored all that the message says. */
  readonly isStored: boolean;
}

/**
 * `release` reports what the agent has said and what waits to be reported. An earlier server may have done this because the
 * agent paused. Its reports count as further ones of the message before the pause.
 */
export function createReportPlaces(
  hosted: HostedLink | undefined,
  release: () => void,
): ReportPlaces {
  const { agent } = hosted ?? {};
  const stored = hosted?.stored?.agent === agent ? (hosted?.stored ?? null) : null;
  let offset = hosted?.earlier?.offset ?? 0;
  let index = 0;
  const isBeforeEnd = (): boolean =>
    stored !== null && offset === stored.offset && index < stored.index;
  return {
    move: (next) => {
      if (isBeforeEnd()) release();
      offset = next;
      index = 0;
    },
    next: () => {
      index += 1;
      if (agent === undefined) return undefined;
      const isStored =
        stored !== null &&
        (offset < stored.offset || (offset === stored.offset && index <= stored.index));
      return { agent, offset, index, isStored };
    },
    newId: () => (agent === undefined ? randomUUID() : `${agent}:${offset}:${index}`),
    get offset() {
      return offset;
    },
    get isStored() {
      return stored !== null && offset <= stored.offset;
    },
  };
}
