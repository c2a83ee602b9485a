export interface RepositoryStore {
  addRepo(repo: Repo): Promise<Repo>;
  readRepo(repoId: string): Promise<Repo | null>;
  listRepos(): Promise<readonly Repo[]>;
  removeRepo(repoId: string): Promise<"removed" | "missing" | "in_use">;
}

export interface Repo {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly createdAt: number;
  /** Only nodes with this label have the repository. Without a label, any node with the path has it. */
  readonly label?: string;
}
