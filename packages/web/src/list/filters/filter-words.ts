import type { Provider, Repository } from "@holdfast/protocol";
import { capital } from "../../api/session-name.ts";
import type { ListSearch } from "../list-search.ts";
import type { ListLook } from "../rows/session-row.tsx";
import type { SessionListData } from "../use-session-list.ts";

export interface FilterNames {
  readonly repositories: readonly Pick<Repository, "id" | "name">[];
  readonly agents: readonly Pick<Provider, "name" | "title">[];
}

export interface FilterBarProps extends FilterNames {
  readonly look: ListLook;
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch) => void;
  readonly counts: SessionListData["counts"];
  /** Filters of the address without a meaning. */
  readonly unknown: readonly string[];
}

/** A filter that is set. */
export interface FilterChip {
  readonly name: keyof ListSearch;
  readonly text: string;
  /** The filters without this one. */
  readonly without: ListSearch;
}

/** The words of the list for the statuses of the server. */
export const STATUS_WORDS = {
  active: "Open",
  suspended: "Paused",
  error: "Failed for good",
  archived: "Archived",
} as const satisfies Record<NonNullable<ListSearch["status"]>, string>;

/** The filters that are set, except the search words, and the states that have a chip of their own. */
export function chipsOf(
  search: ListSearch,
  { repositories, agents }: FilterNames,
): readonly FilterChip[] {
  const { state, status, repo, provider, phase, archived } = search;
  const chips: readonly (readonly [keyof ListSearch, string | false])[] = [
    ["state", state === "idle" && "At rest"],
    ["status", status !== undefined && STATUS_WORDS[status]],
    ["repo", repo !== undefined && nameOf(repo, repositories)],
    ["provider", provider !== undefined && titleOf(provider, agents)],
    ["phase", phase !== undefined && `Phase: ${capital(phase)}`],
    ["archived", archived === true && "With archived"],
  ];
  return chips.flatMap(([name, text]) => {
    if (text === false) return [];
    const { [name]: _, ...without } = search;
    return [{ name, text, without }];
  });
}

function nameOf(id: string, repositories: FilterNames["repositories"]): string {
  return repositories.find((each) => each.id === id)?.name ?? `Unknown repository: ${id}`;
}

function titleOf(name: string, agents: FilterNames["agents"]): string {
  return agents.find((each) => each.name === name)?.title ?? `Unknown agent: ${name}`;
}
