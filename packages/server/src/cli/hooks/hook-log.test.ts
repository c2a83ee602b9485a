import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../storage/sqlite/testing/test-file.ts";
import { appendHookLog, hookLogFile, LOG_BYTES, type HookLogEntry } from "./hook-log.ts";

const ENTRY: HookLogEntry = {
  at: Date.parse("2026-01-08T18:20:00.000Z"),
  hook: "pre-delegate",
  event: null,
  agentId: "agent-1",
  sessionId: null,
  decision: false,
  reason: "no_session",
  tookMs: 12.4,
};

it("has one line of JSON per call and is readable by its owner only", () => {
  const data = temporaryFolder();
  appendHookLog(data, ENTRY);
  appendHookLog(data, { ...ENTRY, agentId: "x".repeat(5_000) });

  expect(linesOf(hookLogFile(data)).map((line): unknown => JSON.parse(line))).toEqual([
    { ...ENTRY, at: "2026-01-08T18:20:00.000Z", tookMs: 12, pid: process.pid },
    {
      ...ENTRY,
      at: "2026-01-08T18:20:00.000Z",
      agentId: "x".repeat(200),
      tookMs: 12,
      pid: process.pid,
    },
  ]);
  expect(statSync(hookLogFile(data)).mode & 0o777).toBe(0o600);
});

it("keeps exactly one older file when it is full", () => {
  const data = temporaryFolder();
  const file = hookLogFile(data);
  fill(file, "first");
  appendHookLog(data, ENTRY);
  expect(linesOf(file)).toHaveLength(1);
  expect(readFileSync(`${file}.1`, "utf8")).toMatch(/^first/u);

  fill(file, "second");
  appendHookLog(data, ENTRY);
  expect(linesOf(file)).toHaveLength(1);
  expect(readFileSync(`${file}.1`, "utf8")).toMatch(/^second/u);
});

it("keeps writing while another process rotates it, and ignores the lock of a dead process", () => {
  const data = temporaryFolder();
  const file = hookLogFile(data);
  fill(file, "first");
  writeFileSync(`${file}.lock`, "");
  appendHookLog(data, ENTRY);
  expect(statSync(file).size).toBeGreaterThan(LOG_BYTES);

  utimesSync(`${file}.lock`, 0, 0);
  appendHookLog(data, ENTRY);
  appendHookLog(data, ENTRY);
  expect(linesOf(file)).toHaveLength(1);
  expect(
    linesOf(`${file}.1`)
      .slice(-2)
      .map((line) => line.startsWith("{")),
  ).toEqual([true, true]);
});

it("does not fail the hook when it cannot be written", () => {
  const data = temporaryFolder();
  writeFileSync(path.join(data, "logs"), "in the way");
  appendHookLog(data, ENTRY);
  appendHookLog("/proc/nowhere", ENTRY);
  expect(readFileSync(path.join(data, "logs"), "utf8")).toBe("in the way");
});

function fill(file: string, word: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${word}\n`.padEnd(LOG_BYTES - 2, "-").concat("\n"));
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n");
}
