import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../domain/json.ts";
import { countRows } from "../../storage/testing/raw-database.ts";
import { BUNDLE_LIMITS, type BundleLimits } from "./bundle-limits.ts";
import { importBundle } from "./import-bundle.ts";
import { bundleRig } from "./testing/bundle-rig.ts";
import { changed, ended, parsed } from "./testing/lines.ts";

const test = bundleRig();

describe("a bundle that is not in order", () => {
  type Spoil = (lines: string[]) => readonly string[];
  const on =
    (type: string, more: JsonObject): Spoil =>
    (lines) =>
      changed(lines, (line) => (line["type"] === type ? { ...line, ...more } : line));
  const twice =
    (index: number): Spoil =>
    (lines) =>
      ended(lines.slice(0, -1).toSpliced(index, 0, lines[index] ?? ""));
  const without =
    (type: string): Spoil =>
    (lines) =>
      changed(lines, (line) => (line["type"] === type ? null : line));

  // Lines: 1 header, 2 session, 3 repo, 4 to 6 runs, 7 suspension, 8 and 9 messages, 10 queued, 11 end.
  it.each<[string, Spoil, string]>([
    ["nothing at all", () => [], "The bundle is incomplete: its last line is missing."],
    ["no JSON", (lines) => ["{oops", ...lines], "Line 1 is not JSON."],
    ["a list", (lines) => [...lines.slice(0, 3), "[1]"], "Line 4 is not an object."],
    [
      "something nested deeply",
      (lines) => [...lines.slice(0, 2), `${"[".repeat(70)}${"]".repeat(70)}`],
      "Line 3 is nested too deeply.",
    ],
    ["no header", (lines) => lines.slice(1), "Line 1 is not the header of a bundle."],
    [
      "another version",
      (lines) => [JSON.stringify({ ...parsed(lines[0]), version: 3 }), ...lines.slice(1)],
      "Line 1 is of version 3; this program reads versions 1 to 2.",
    ],
    ["no session", without("session"), "Line 2 is not the session."],
    [
      "no end",
      (lines) => lines.slice(0, -1),
      "The bundle is incomplete: its last line is missing.",
    ],
    ["a line left out", (lines) => lines.toSpliced(7, 1), "Line 10 ends a bundle of 11 lines."],
    [
      "a letter changed",
      (lines) => lines.map((line, index) => (index === 7 ? line.replace("first", "worst") : line)),
      "Line 11 has a checksum that does not match: the bundle was changed.",
    ],
    [
      "no checksum",
      (lines) => [...lines.slice(0, -1), JSON.stringify({ type: "end", lines: 11 })],
      "Line 11 has no sha256.",
    ],
    [
      "two lines in one",
      (lines) => [lines[0]?.replace(",", ",\n") ?? ""],
      "is more than one line.",
    ],
    ["more after the end", (lines) => [...lines, "{}"], "Line 12 comes after the end."],
    ["an unknown line", on("repo", { type: "secret" }), 'Line 3 has an unknown type: "secret".'],
    [
      "another session than its header names",
      on("session", { id: "other" }),
      "Line 2 has another session id than the header.",
    ],
    [
      "an unknown status",
      on("session", { status: "lost" }),
      'Line 2 has a wrong status: expected one of active, suspended, archived, error, got "lost".',
    ],
    [
      "an id that is a path",
      (lines) =>
        changed(lines, (line) => ({
          ...line,
          ...(line["holdfast"] === "bundle" && { sessionId: "../../etc" }),
        })),
      'Line 1 has a wrong sessionId: expected an id, got "../../etc".',
    ],
    [
      "a time that is none",
      on("session", { createdAt: "yesterday" }),
      'Line 2 has a wrong createdAt: expected an ISO 8601 time, got "yesterday".',
    ],
    [
      "metadata that is a list",
      on("session", { metadata: [] }),
      "Line 2 has a wrong metadata: expected an object, got [].",
    ],
    [
      "finalized in a phase that is not final",
      on("session", { finalizedAt: "2026-01-01T00:00:00Z" }),
      "Line 2 has a finalizedAt, but its phase is initializing.",
    ],
    [
      "archived and waiting",
      on("session", { status: "archived" }),
      "Line 2 has a waitingRun, but its status is archived.",
    ],
    [
      "a message of nobody",
      on("message", { role: "robot" }),
      'Line 8 has a wrong role: expected one of user, agent, system, got "robot".',
    ],
    [
      "a message without a type",
      on("message", { content: { text: "hi" } }),
      'Line 8 has a wrong content: expected an object with a type, got {"text":"hi"}.',
    ],
    ["messages in disorder", on("message", { seq: 3 }), "Line 9 is out of order: its seq is 3."],
    [
      "a message before the session",
      on("message", { seq: 1 }),
      "Line 8 is out of order: its seq is 1.",
    ],
    [
      "a message after its end",
      on("message", { seq: 999 }),
      "Line 8 has a seq above the session's lastSeq.",
    ],
    ["a run twice", twice(3), "Line 5 repeats the id "],
    ["a waiting run twice", twice(4), "Line 6 repeats the id "],
    ["a queued run twice", twice(5), "Line 7 repeats the id "],
    ["an open question twice", twice(6), "Line 8 repeats the id "],
    [
      "a message twice",
      (lines) =>
        changed(lines, (line) => (line["type"] === "message" ? { ...line, id: "same" } : line)),
      "Line 9 repeats the id same.",
    ],
    ["a queued message twice", twice(9), "Line 11 repeats a queued message."],
    [
      "a closed question of no run",
      (lines) =>
        ended(
          lines.slice(0, -1).toSpliced(
            6,
            0,
            JSON.stringify({
              ...parsed(lines[6]),
              id: "closed",
              runId: "none",
              status: "withdrawn",
              closedAt: "2026-01-01T00:00:00Z",
            }),
          ),
        ),
      "Line 7 is a suspension of a run that does not come before it.",
    ],
    [
      "a running run",
      on("run", { status: "running", endedAt: null }),
      "is a running run without an end.",
    ],
    [
      "an ended run without an end",
      on("run", { endedAt: null }),
      "is a failed run without an end.",
    ],
    ["no runs", without("run"), ", but no such run."],
    [
      "a queue without messages",
      without("queued"),
      "is queued, but its message is not in the queue.",
    ],
    [
      "a run that waits for nothing",
      without("suspension"),
      "is suspended, but has no open suspension.",
    ],
    [
      "a question of a session that does not wait",
      on("session", { waitingRun: null }),
      "is a suspended run, but the session does not wait for it.",
    ],
    [
      "an open question with an end",
      on("suspension", { closedAt: "2026-01-01T00:00:00Z" }),
      "is a suspension with the status open and a closedAt.",
    ],
    [
      "an open question of another run",
      on("suspension", { runId: "none" }),
      "is open, but does not belong to run",
    ],
  ])("is refused when it has %s, and nothing is stored", async (_, spoil, why) => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const empty = await countRows(test.location);
    expect(await test.take(spoil(lines))).toEqual({
      ok: false,
      refusal: {
        code: "bundle_invalid",
        message: expect.stringContaining(why),
        status: null,
        state: null,
      },
    });
    expect(await countRows(test.location)).toEqual(empty);
  });

  it("is refused when it is longer than may be, as a whole or in a line, before it is read whole", async () => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const total = lines.join("").length;
    const longest = Math.max(...lines.map((line) => line.length));
    const refusedAs = async (limits: Partial<BundleLimits>) => {
      const taken = await test.take(lines, { ...BUNDLE_LIMITS, ...limits });
      return taken.ok ? "imported" : taken.refusal.message;
    };
    expect(await refusedAs({ totalLength: total - 1 })).toBe(
      `The bundle is longer than ${total - 1} characters.`,
    );
    expect(await refusedAs({ lineLength: longest - 1 })).toBe(
      `Line 2 is longer than ${longest - 1} characters.`,
    );
    expect(await refusedAs({ sessionLength: longest - 1 })).toBe(
      `Line 2 is longer than ${longest - 1} characters.`,
    );
    expect(await refusedAs({ openLength: 10 })).toBe(
      "Line 5 exceeds the limit of 10 characters for open runs, suspensions and the queue.",
    );
    let taken = 0;
    const endless = async function* (): AsyncGenerator<string> {
      yield* lines.slice(0, 3);
      for (;;) {
        taken += 1;
        yield JSON.stringify({ type: "repo", path: "x".repeat(1000), name: "" });
      }
    };
    const limits = { ...BUNDLE_LIMITS, totalLength: 20_000 };
    const context = test.context({ limits });
    expect(await importBundle(context, endless())).toMatchObject({
      refusal: { code: "bundle_invalid" },
    });
    expect(taken).toBeLessThan(30);
    expect(await refusedAs({ totalLength: total, lineLength: longest })).toBe("imported");
  });

  it("whose lines fail to arrive stores nothing", async () => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const empty = await countRows(test.location);
    const broken = async function* (): AsyncGenerator<string> {
      yield* lines.slice(0, -1);
      throw new Error("the connection was lost");
    };
    const context = test.context();
    await expect(importBundle(context, broken())).rejects.toThrow("the connection was lost");
    expect(await countRows(test.location)).toEqual(empty);
  });
});
