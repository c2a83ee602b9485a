import { defineConfig } from "vitest/config";
import { PATIENCE } from "./vitest.config.ts";

/** One browser at a time: what is looked at is what a person would see, not how busy the machine is. */
export default defineConfig({
  resolve: { conditions: ["holdfast-source"] },
  ssr: { resolve: { conditions: ["holdfast-source"] } },
  test: {
    include: ["test/browser/**/*.browser.test.ts"],
    runner: "test/machine/runner.ts",
    globalSetup: ["test/browser/shared-browser.ts"],
    fileParallelism: false,
    ...PATIENCE,
  },
});
