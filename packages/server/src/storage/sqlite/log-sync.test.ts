import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openLogSync } from "./log-sync.ts";
import { temporaryFolder } from "./testing/test-file.ts";

it("fails when the log does not exist, and syncs it once it does", async () => {
  const file = path.join(temporaryFolder(), "holdfast.db");
  const log = openLogSync(file);
  onTestFinished(() => log.close());
  await expect(log.sync()).rejects.toMatchObject({ code: "ENOENT" });
  writeFileSync(`${file}-wal`, "begun");
  await expect(log.sync()).resolves.toBeUndefined();
  // The file stays open, because opening it takes longer than the sync.
  rmSync(`${file}-wal`);
  await expect(log.sync()).resolves.toBeUndefined();
});
