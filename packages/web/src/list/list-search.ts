import { defined } from "@holdfast/client";
import { PHASES, STATES, STATUSES, type Phase, type State, type Status } from "@holdfast/protocol";
import type { SessionsFilter } from "../api/queries.ts";

/** The filters of the list, as in the URL. */
export interface ListSearch {
  readonly q?: string;
  readonly repo?: string;
  readonly status?: Status;
  readonly state?: State;
  /** The last run failed or was interrupted, and nothing has begun since. */
  readonly outcome?: "failed";
  readonly phase?: Phase;
  readonly provider?: string;
  /** Includes archived sessions. */
  readonly archived?: true;
}

/** Without invalid values, which `unknownFilters` lists. */
export function parseListSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  const { q, repo, status, state, outcome, phase, provider, archived } = search;
  return {
    ...(isText(q) && { q }),
    ...(isText(repo) && { repo }),
    ...(isOneOf(STATUSES, status) && { status }),
    ...(isOneOf(STATES, state) && { state }),
    ...(outcome === "failed" && { outcome }),
    ...(isOneOf(PHASES, phase) && { phase }),
    ...(isText(provider) && { provider }),
    ...((archived === "1" || archived === true) && { archived: true }),
  };
}

/** The filters in a URL that have no meaning, such as `state=foo`. */
export function unknownFilters(search: Readonly<Record<string, string>>): readonly string[] {
  const known = parseListSearch(search);
  return Object.entries(search)
    .filter(([name, value]) => value !== "" && !(name in known))
    .map(([name, value]) => `${name}=${value}`);
}

/** The filter for the server, without the state and the outcome: each is counted. */
export function toFilter(search: ListSearch): SessionsFilter {
  const { q, repo, status, phase, provider, archived } = search;
  return {
    order: "turn",
    status: [...statusesOf(status, archived === true)],
    ...defined({ q, repoId: repo, phase, provider }),
  };
}

/** The outcomes of a run that failed. */
export const FAILED = ["failed", "interrupted"] as const;

/** The number of filters besides the search words. */
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

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return values.some((each) => each === value);
}
