import { existsSync } from "node:fs";
import path from "node:path";
import { cleanText } from "../../domain/clean-text.ts";
import type { Repo, Store } from "../../storage/store.ts";
import type { OpenWorkspace } from "../context.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import type { WorkspaceRefused, WorkspaceRoot } from "./workspace-root.ts";

/** The Git repositories that sessions may be bound to, all inside the workspace root. */
export interface Repositories {
  /** A folder that is known already, by whatever path, is the repository it was. */
  add(request: {
    readonly path: string;
    readonly name: string | null;
    /** Only nodes with this label have it. */
    readonly label?: string;
  }): Promise<Reply<{ readonly repo: Repo }>>;
  list(): Promise<readonly Repo[]>;
  remove(repoId: string): Promise<Reply<{ readonly repo: Repo }>>;
  /** The repositories that are not here: of another label, or with no folder at their path. */
  missing(labels: readonly string[]): Promise<readonly string[]>;
  /** Looks again where the path leads now. To be closed when the agent has been started. */
  openForAgent(repoId: string): Promise<Reply<{ readonly workspace: OpenWorkspace }>>;
}

export function createRepositories({
  store,
  root,
  newId,
  clock,
}: {
  readonly store: Store;
  readonly root: WorkspaceRoot;
  readonly newId: () => string;
  readonly clock: () => number;
}): Repositories {
  return {
    async add(request) {
      const resolved = await root.resolve(request.path);
      if (!resolved.ok) return toRefused(resolved);
      const repo = await store.addRepo({
        id: newId(),
        path: resolved.path,
        name: nameOf(request.name, resolved.path),
        createdAt: clock(),
        ...(request.label !== undefined && { label: request.label }),
      });
      return { ok: true, repo };
    },
    list: () => store.listRepos(),
    async remove(repoId) {
      const repo = await store.readRepo(repoId);
      if (repo === null) return noSuchRepository();
      const removed = await store.removeRepo(repoId);
      switch (removed) {
        case "removed":
          return { ok: true, repo };
        case "missing":
          return noSuchRepository();
        case "in_use":
          return refuse(
            "repository_in_use",
            `Sessions are bound to ${repo.name}, also archived ones. Delete them first.`,
          );
        default:
          return removed satisfies never;
      }
    },
    async missing(labels) {
      const repos = await store.listRepos();
      const missing = repos.filter(
        ({ label, path: folder }) =>
          (label !== undefined && !labels.includes(label)) || !existsSync(folder),
      );
      return missing.map(({ id }) => id);
    },
    async openForAgent(repoId) {
      const repo = await store.readRepo(repoId);
      if (repo === null) return noSuchRepository();
      const opened = await root.open(repo.path);
      return opened.ok ? opened : toRefused(opened);
    },
  };
}

function nameOf(asked: string | null, real: string): string {
  const name = cleanText(asked ?? "").trim();
  return name === "" ? path.basename(real) || real : name;
}

function noSuchRepository(): Refused {
  return refuse("repository_not_found", "There is no such repository.");
}

function toRefused({ refused, message }: WorkspaceRefused): Refused {
  return refuse(refused, message);
}
