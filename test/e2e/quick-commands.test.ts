import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BINARY,
  holdfast,
  removeFolder,
  startHoldfast,
  temporaryFolder,
} from "./holdfast-process.ts";

/** Writes what a process has loaded at its end: files of the program by their first words, and modules of Node. */
const TELL_LOADED = `data:text/javascript,
  import Module from "node:module";
  import { writeSync } from "node:fs";
  const before = new Set(process.moduleLoadList);
  process.on("exit", () => {
    const files = Object.keys(Module._cache).map((file) => file.replace(/.*[/]/, ""));
    const added = process.moduleLoadList.filter((name) => !before.has(name));
    writeSync(2, [...files, ...added].map((name) => "loaded " + name).join("\\n") + "\\n");
  });
`.replaceAll(/\n\s*/gu, " ");

const LIBRARY = /^(?:fastify|jsonc-parser|kysely|re2js|schemas|zod)-/u;
const SLOW_IN_NODE =
  /^NativeModule (?:child_process|crypto|http2|worker_threads|internal\/deps\/undici\/undici)$/u;

let data: string;

beforeAll(async () => {
  data = temporaryFolder();
  await holdfast(["create", "--id", "agent-1", "--agent", "coder", "--data", data]);
});
afterAll(() => removeFolder(data));

describe("a short command", () => {
  it("loads no library and little of Node", () => {
    expect(slowParts(["get", "agent-1"])).toEqual([]);
    expect(slowParts(["should-resume", "agent-1"])).toEqual([]);
    // It lists sessions, and no list is written as text.
    expect(slowParts(["hook", "pre-delegate"])).toEqual([expect.stringMatching(/^kysely-/u)]);
  });

  it("loads no library and no fetch when a server answers", async () => {
    const server = await startHoldfast({ data });
    try {
      expect(slowParts(["get", "agent-1"])).toEqual([]);
      expect(slowParts(["should-resume", "agent-1"])).toEqual([]);
    } finally {
      await server.end("SIGTERM");
    }
  });
});

function slowParts(words: readonly string[]): readonly string[] {
  const { stderr } = spawnSync(
    process.execPath,
    ["--import", TELL_LOADED, BINARY, ...words, "--data", data],
    { encoding: "utf8", input: JSON.stringify({ agent_name: "coder" }) },
  );
  const loaded = stderr.split("\n").flatMap((line) => /^loaded (.*)$/u.exec(line)?.[1] ?? []);
  expect(loaded).toContain("main.js");
  return loaded.filter((name) => LIBRARY.test(name) || SLOW_IN_NODE.test(name));
}
