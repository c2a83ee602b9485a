/**
 * The Vitest projects. The end of a file's name decides its project:
 *
 * - `x.test.ts`: unit. Starts no process and no thread, needs no PostgreSQL.
 * - `x.store.test.ts`: store. The stores, their migrations and copies of them, on SQLite and PostgreSQL.
 * - `x.process.test.ts`: process. Whole runtimes, agents, and other real processes.
 * - everything in `test/`: system, and `test/browser`: browser.
 */
export const PROJECTS = {
  unit: {
    include: ["packages/*/src/**/*.test.ts"],
    exclude: ["**/*.store.test.ts", "**/*.process.test.ts"],
  },
  store: { include: ["packages/*/src/**/*.store.test.ts"], exclude: [] },
  process: { include: ["packages/*/src/**/*.process.test.ts"], exclude: [] },
  system: { include: ["test/**/*.test.ts"], exclude: ["test/browser/**"] },
  browser: { include: ["test/browser/**/*.browser.test.ts"], exclude: [] },
} as const satisfies Record<string, Globs>;

interface Globs {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export type ProjectName = keyof typeof PROJECTS;
