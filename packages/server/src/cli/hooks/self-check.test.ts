import { writeFileSync } from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { expect, it } from "vitest";
import { countRows } from "../../storage/testing/raw-database.ts";
import { temporaryFolder } from "../../storage/sqlite/testing/test-file.ts";
import { checkHooks } from "./self-check.ts";
import { openHookRig } from "./testing/hook-rig.ts";

it("tests both hooks on a temporary session and leaves nothing behind (B4)", async () => {
  const rig = await openHookRig();
  const { id } = await rig.begin();
  const location = { engine: "sqlite", file: path.join(rig.data, "holdfast.db") } as const;
  const before = await countRows(location);

  expect(await checked(rig.data)).toEqual({
    code: 0,
    lines: [
      `✓ opened the database: SQLite, ${location.file}`,
      expect.stringMatching(/^✓ created a session: [0-9a-f-]{36}$/u),
      "✓ set its phase to approval",
      "✓ pre-delegate says to resume it",
      "✓ pre-delegate finds it by the agent name",
      "✓ subagent-stop finalizes it: completed",
      "✓ deleted the session",
      `The hooks work. Each call is logged in ${path.join(rig.data, "logs", "hooks.log")}`,
    ],
  });
  expect(await countRows(location)).toEqual(before);
  expect(await rig.session(id)).toMatchObject({ phase: "approval" });
});

it("reports the failed check and deletes its session", async () => {
  const rig = await openHookRig();
  writeFileSync(path.join(rig.data, "holdfast.config.json"), "{");
  const location = { engine: "sqlite", file: path.join(rig.data, "holdfast.db") } as const;
  const before = await countRows(location);
  const { code, lines } = await checked(rig.data);

  expect({ code, last: lines.at(-1) }).toEqual({
    code: 2,
    last: expect.stringMatching(/^✗ .*holdfast\.config\.json/u),
  });
  expect(await countRows(location)).toEqual(before);
});

it("reports that the database cannot be created", async () => {
  const data = path.join(temporaryFolder(), "file");
  writeFileSync(data, "");
  expect(await checked(data)).toEqual({ code: 2, lines: [expect.stringMatching(/^✗ /u)] });
});

async function checked(data: string): Promise<{ code: number; lines: readonly string[] }> {
  const said: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      said.push(String(chunk));
      done();
    },
  });
  const stdio = { stdin: Readable.from([]), stdout };
  const code = await checkHooks({ flags: { data }, env: {}, stdio });
  return { code, lines: said.join("").trimEnd().split("\n") };
}
