import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["holdfast-source"] },
  ssr: { resolve: { conditions: ["holdfast-source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["packages/server/src/storage/testing/postgres-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
