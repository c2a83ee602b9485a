export interface MigrationContext {
  readonly engine: "sqlite" | "postgres";
  /** Called at named points, so that tests can kill the process there. */
  readonly failpoint: (name: string) => void;
}
