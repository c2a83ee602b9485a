import { defined } from "@holdfast/client";
import { PHASES, STATES, STATUSES, type Phase, type State, type Status } from "@holdfast/protocol";
import type { SessionsFilter } from "../api/queries.ts";

/** What the list is narrowed to, as it stands in the address. */
export interface ListSearch {
  readonly q?: string;
  readonly repo?: string;
  readonly status?: Status;
  readonly state?: State;
  readonly phase?: Phase;
  readonly provider?: string;
  /** Archived ones too. */
  readonly archived?: true;
}

/** Whatever does not mean anything is left out: an address by hand is no error. */
export function parseListSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  const { q, repo, status, state, phase, provider, archived } = search;
  return {
    ...(isText(q) && { q }),
    ...(isText(repo) && { repo }),
    ...(isOneOf(STATUSES, status) && { status }),
    ...(isOneOf(STATES, state) && { state }),
    ...(isOneOf(PHASES, phase) && { phase }),
    ...(isText(provider) && { provider }),
    ...((archived === "1" || archived === true) && { archived: true }),
  };
}

/** What the server is asked for. */
export function toFilter(search: ListSearch): SessionsFilter {
  const { q, repo, status, state, phase, provider, archived } = search;
  return {
    status: [...statusesOf(status, archived === true)],
    ...defined({ q, repoId: repo, state: state && [state], phase, provider }),
  };
}

/** How many filters are set, besides the words that are searched for. */
export function narrowedBy({ q: _, archived: _also, ...filters }: ListSearch): number {
  return Object.keys(filters).length;
}

function statusesOf(status: Status | undefined, archived: boolean): readonly Status[] {
  const chosen: readonly Status[] = status === undefined ? ["active", "suspended"] : [status];
  return archived && !chosen.includes("archived") ? [...chosen, "archived"] : chosen;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isOneOf<Value extends string>(values: readonly Value[], given: unknown): given is Value {
  return values.some((value) => value === given);
}
