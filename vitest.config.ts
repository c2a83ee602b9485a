import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { PROJECTS, type ProjectName } from "./test/machine/projects.ts";
import { SlowestFirst } from "./test/machine/sequencer.ts";
import { testPrograms } from "./test/machine/test-programs.ts";

// Programs that tests start load their compiled sources from here: many times faster than from TypeScript.
process.env["NODE_COMPILE_CACHE"] ??= path.join(import.meta.dirname, ".cache", "compiled");

const CORES = Math.max(2, availableParallelism());
/** Half of the time of these tests goes into waiting for processes, databases and pages. */
const WAITING_WORKERS = 2 * CORES + 1;

export default defineConfig({
  plugins: [testPrograms()],
  resolve: { conditions: ["holdfast-source"] },
  ssr: { resolve: { conditions: ["holdfast-source"] } },
  test: {
    // Once for all projects; it starts PostgreSQL when a test first asks for it.
    globalSetup: ["packages/server/src/storage/testing/postgres-setup.ts"],
    sequence: { sequencer: SlowestFirst },
    projects: [
      project("unit", {
        pool: "threads",
        // To load the modules again for each file takes longer than the tests.
        isolate: false,
        setupFiles: ["test/machine/unit-guard.ts"],
        provide: { postgresDesk: "" },
        maxWorkers: CORES,
        sequence: { groupOrder: 0 },
      }),
      ...(["store", "process", "system"] as const).map((name) =>
        project(name, { isolate: false, maxWorkers: WAITING_WORKERS, sequence: { groupOrder: 1 } }),
      ),
      project("browser", {
        globalSetup: ["test/browser/shared-browser.ts"],
        isolate: false,
        maxWorkers: WAITING_WORKERS,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
});

function project(
  name: ProjectName,
  options: TestProjectInlineConfiguration["test"],
): TestProjectInlineConfiguration {
  const { include, exclude } = PROJECTS[name];
  return {
    extends: true,
    test: {
      name,
      include: [...include],
      exclude: ["**/node_modules/**", ...exclude],
      runner: "test/machine/runner.ts",
      // Only what never happens takes this long: a busy machine takes many times as long as others. Tests of promised
      // times measure with the calm clock.
      expect: { poll: { timeout: 200_000 } },
      testTimeout: 300_000,
      hookTimeout: 300_000,
      ...options,
    },
  };
}
