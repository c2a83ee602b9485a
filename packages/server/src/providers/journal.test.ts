import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSecrets } from "./secrets/secrets.ts";
import { openJournal, removeJournal, type JournalOptions } from "./journal.ts";

function journalIn(options: Partial<JournalOptions> = {}): {
  readonly folder: string;
  readonly journal: ReturnType<typeof openJournal>;
  entries(name?: string): readonly Record<string, unknown>[];
} {
  const base = mkdtempSync(path.join(tmpdir(), "holdfast-journal-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folder = path.join(base, "journals");
  const { redactor } = openSecrets();
  const journal = openJournal({ folder, sessionId: "s-1", redactor, clock: () => 7, ...options });
  const entries = (name = "s-1.jsonl"): readonly Record<string, unknown>[] =>
    readFileSync(path.join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { folder, journal, entries };
}

describe("a journal", () => {
  it("records the traffic in order, readable only by its owner", async () => {
    const { folder, journal, entries } = journalIn();
    journal.write("out", '{"id":1}');
    journal.write("in", '{"id":1,"result":{}}');
    journal.write("noise", "Loading…");
    await journal.close();
    expect(entries()).toEqual([
      { t: 7, direction: "out", line: '{"id":1}' },
      { t: 7, direction: "in", line: '{"id":1,"result":{}}' },
      { t: 7, direction: "noise", line: "Loading…" },
    ]);
    expect(statSync(path.join(folder, "s-1.jsonl")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("contains no secret, even where a long line is cut", async () => {
    const secret = "sk-very-secret";
    const secrets = openSecrets();
    secrets.keep([secret]);
    const { journal, entries } = journalIn(secrets);
    journal.write("out", JSON.stringify({ env: { key: secret } }));
    journal.write("in", `${"x".repeat(64 * 1024 - 5)}${secret}${"y".repeat(100_000)}`);
    await journal.close();
    const [first, second] = entries();
    expect(first).toMatchObject({ line: '{"env":{"key":"[redacted]"}}' });
    expect(second).toEqual({
      t: 7,
      direction: "in",
      line: `${"x".repeat(64 * 1024 - 5)}[reda`,
      length: 64 * 1024 - 5 + secret.length + 100_000,
    });
  });

  it("rotates at its limit and keeps the newest entries (P6)", async () => {
    const { folder, journal, entries } = journalIn({ maxBytes: 10_000 });
    for (let count = 0; count < 100; count += 1) {
      journal.write("in", `${count} ${"x".repeat(500)}`);
      // One write at a time, so that each is its own batch.
      if (count % 5 === 4) await new Promise((resolve) => setImmediate(resolve));
    }
    await journal.close();
    expect(readdirSync(folder).toSorted()).toEqual(["s-1.jsonl", "s-1.jsonl.1"]);
    expect(String(entries().at(-1)?.["line"])).toMatch(/^99 /);
    expect(journal.dropped).toBe(0);
  });

  it("drops entries while the disk fails, and notes that afterwards (P6)", async () => {
    const { folder, journal, entries } = journalIn();
    mkdirSync(path.dirname(folder), { recursive: true });
    writeFileSync(folder, "a file where the folder should be");
    journal.write("in", "lost");
    journal.write("in", "lost, too");
    await expect.poll(() => journal.dropped).toBe(2);
    rmSync(folder);
    journal.write("in", "kept");
    await journal.close();
    expect(entries()).toEqual([
      { t: 7, direction: "note", line: "2 entries were dropped here" },
      { t: 7, direction: "in", line: "kept" },
    ]);
  });

  it("queues at most a mebibyte (P6)", async () => {
    const { journal, entries } = journalIn();
    for (let count = 0; count < 1000; count += 1) journal.write("in", "x".repeat(10_000));
    expect(journal.dropped).toBeGreaterThan(850);
    await journal.close();
    journal.write("in", "too late");
    expect(entries().length + journal.dropped).toBe(1001);
  });

  it("is removed with its rotated file, even if there is none", async () => {
    const { folder, journal } = journalIn({ maxBytes: 10 });
    journal.write("in", "a");
    await expect.poll(() => readdirSync(path.dirname(folder))).toEqual(["journals"]);
    journal.write("in", "b");
    await journal.close();
    await removeJournal(folder, "s-1");
    await removeJournal(folder, "s-2");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("cannot have a name outside its folder", () => {
    expect(() => journalIn({ sessionId: "../x" })).toThrow("plain name");
  });
});
