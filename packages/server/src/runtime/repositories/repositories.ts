import { existsSync } from "node:fs";
import path from "node:path";
import { cleanText } from "../../domain/clean-text.ts";
import { defined } from "../../domain/defined.ts";
import { keepNewest } from "../../storage/keep-newest.ts";
import type { Repo, Store } from "../../storage/store.ts";
import type { OpenWorkspace } from "../open-workspace.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import { findRepositories, type FoundRepositories } from "./find-repositories.ts";
import type { WorkspaceRoot } from "./workspace-root.ts";

/** The Git repositories for sessions, all inside the workspace root. */
export interface Repositories {
  /** Returns the existing repository if the folder is registered, even by another path. */
  add(request: {
    readonly path: string;
    readonly name: string | null;
    /** Only nodes with this label have the repository. */
    readonly label?: string;
  }): Promise<Reply<{ readonly repo: Repo }>>;
  list(): Promise<readonly Repo[]>;
  /** Repositories in the workspace root that could be added. */
  find(): Promise<FoundRepositories>;
  remove(repoId: string): Promise<Reply<{ readonly repo: Repo }>>;
  /** The repositories that this node lacks: with another label, or without a folder. */
  missing(labels: readonly string[]): Promise<readonly string[]>;
  /** Resolves the path again. The caller closes the workspace after the agent has started. */
  openForAgent(repoId: string): Promise<Reply<{ readonly workspace: OpenWorkspace }>>;
  /** The same for a session that exists, so that its repository still does: it is looked up once. */
  openForSession(repoId: string): Promise<Reply<{ readonly workspace: OpenWorkspace }>>;
  /** Why no agent could work there; null if one could. Requests that ask at the same time share one look. */
  refuse(repoId: string): Promise<Refused | null>;
  /** Opens a folder in the workspace root that need not be a repository. */
  openDirectory(path: string): Promise<Reply<{ readonly workspace: OpenWorkspace }>>;
}

export function createRepositories({
  store,
  root,
  newId,
  clock,
  findRefusedOwner = async () => null,
}: {
  readonly store: Store;
  readonly root: WorkspaceRoot;
  readonly newId: () => string;
  readonly clock: () => number;
  /** The user ID of an owner because of whom Git refuses to work in the folder. */
  readonly findRefusedOwner?: (folder: string) => Promise<number | null>;
}): Repositories {
  const paths = keepNewest<string, string>(MAX_PATHS);
  const looks = new Map<string, Promise<Refused | null>>();

  const openForAgent: Repositories["openForAgent"] = async (repoId) => {
    const repo = await store.readRepo(repoId);
    if (repo === null) return noSuchRepository();
    const opened = await root.open(repo.path);
    if (opened.ok) paths.set(repoId, repo.path);
    return opened;
  };

  const look = async (repoId: string): Promise<Refused | null> => {
    try {
      const opened = await openForAgent(repoId);
      if (!opened.ok) return opened;
      await opened.workspace.close();
      return null;
    } finally {
      looks.delete(repoId);
    }
  };

  return {
    async add(request) {
      const resolved = await root.resolve(request.path);
      if (!resolved.ok) return resolved;
      const owner = await findRefusedOwner(resolved.path);
      if (owner !== null) return refusedOwner(resolved.path, owner);
      const repo = await store.addRepo({
        id: newId(),
        path: resolved.path,
        name: nameOf(request.name, resolved.path),
        createdAt: clock(),
        ...defined({ label: request.label }),
      });
      return { ok: true, repo };
    },
    list: () => store.listRepos(),
    find: async () => {
      const known = (await store.listRepos()).map((repo) => repo.path);
      return findRepositories(root.root, { known: new Set(known) });
    },
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
            `${repo.name} still has sessions, maybe archived ones. Delete them first.`,
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
    openForAgent,
    async openForSession(repoId) {
      const known = paths.get(repoId);
      if (known === undefined) return openForAgent(repoId);
      const opened = await root.open(known);
      if (!opened.ok) paths.delete(repoId);
      return opened;
    },
    refuse(repoId) {
      const looking = looks.get(repoId) ?? look(repoId);
      looks.set(repoId, looking);
      return looking;
    },
    openDirectory: root.openDirectory,
  };
}

const MAX_PATHS = 1_000;

function nameOf(requested: string | null, real: string): string {
  const name = cleanText(requested ?? "").trim();
  return name === "" ? path.basename(real) || real : name;
}

function refusedOwner(folder: string, owner: number): Refused {
  return refuse(
    "repository_owner_refused",
    `Git refuses to work in ${JSON.stringify(folder)}, because it belongs to another user (ID ${owner}). ` +
      `To allow it, start the server with HOLDFAST_GIT_OWNERS=${owner}, or with HOLDFAST_GIT_OWNERS=any for all owners.`,
  );
}

function noSuchRepository(): Refused {
  return refuse("repository_not_found", "There is no such repository.");
}
