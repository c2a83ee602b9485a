import type { Repo } from "../ports/repository-store.ts";
import type { RepoRow } from "../tables.ts";

export function toRepo({ label, ...row }: RepoRow): Repo {
  return label === null ? row : { ...row, label };
}
