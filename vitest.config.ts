import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { writerBundle } from "./test/machine/writer-bundle.ts";

// Programs that tests start load their compiled sources from here: many times faster than from TypeScript.
process.env["NODE_COMPILE_CACHE"] ??= path.join(import.meta.dirname, ".cache", "compiled");

/** For as long as it is not so: a machine with other work takes several times as long. What is promised in seconds says so itself. */
export const PATIENCE = {
  expect: { poll: { timeout: 30_000 } },
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  plugins: [writerBundle()],
  resolve: { conditions: ["holdfast-source"] },
  ssr: { resolve: { conditions: ["holdfast-source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    // vitest.browser.config.ts, with the machine to itself.
    exclude: ["**/node_modules/**", "test/browser/**"],
    runner: "test/machine/runner.ts",
    globalSetup: ["packages/server/src/storage/testing/postgres-setup.ts"],
    // Much of the time goes into waiting for processes: also two cores have enough for two files at once.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    ...PATIENCE,
  },
});
