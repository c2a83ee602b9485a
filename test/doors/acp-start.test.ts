import { spawn } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { BINARY } from "../e2e/holdfast-process.ts";
import { openEditorWorld } from "./editor-world.ts";

/**
 * Writes the name of each module that is loaded to stdout, in order with the replies to the editor. The program reads its own files
 * without Node's loader.
 */
const TELL_LOADED = `data:text/javascript,
  import { registerHooks } from "node:module";
  import fs from "node:fs";
  const tell = (file) => fs.writeSync(1, "loads " + String(file).replace(/.*[/]/, "") + "\\n");
  const { readFileSync } = fs;
  fs.readFileSync = (file, ...options) => {
    tell(file);
    return readFileSync(file, ...options);
  };
  registerHooks({
    load(url, context, next) {
      tell(url);
      return next(url, context);
    },
  });
`.replaceAll(/\n\s*/gu, " ");

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
};

const world = await openEditorWorld();
afterAll(() => world.end());

describe("the start of holdfast acp", () => {
  it("loads neither settings nor databases, schemas of the API or fetch before the first reply", async () => {
    const { before, after } = await loadedAround(["acp", "--data", world.server().data]);
    const isSlow = (name: string): boolean =>
      /^(?:node:(?:sqlite|https?|worker_threads|crypto)|(?:cli-settings|cli-gateway|kysely|schemas|storage)-.*)$/u.test(
        name,
      );
    expect(before).toContain("main.js");
    expect(before.filter(isSlow)).toEqual([]);
    // Without being asked: the next request finds it loaded.
    expect(after.some(isSettings)).toBe(true);
    expect(after).not.toContain("node:http");
  });

  it("ends with the reason when its settings are wrong, although stdin is open", async () => {
    const args = ["acp", "--url", "http://127.0.0.1:1", "--database", "other.db"];
    const child = spawn(process.execPath, [BINARY, ...args]);
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(64);
    expect(errors).toBe(
      "holdfast: --url and --database cannot be combined: a server uses its own database.\n",
    );
  });
});

function isSettings(name: string): boolean {
  return name.startsWith("cli-settings-");
}

/** The modules that a command loads before and after its first reply to an editor. */
async function loadedAround(
  args: readonly string[],
): Promise<{ readonly before: readonly string[]; readonly after: readonly string[] }> {
  const child = spawn(process.execPath, ["--import", TELL_LOADED, BINARY, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.write(`${JSON.stringify(initialize)}\n`);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.split("\n").some((line) => isSettings(line.replace("loads ", ""))))
      child.stdin.end();
  });
  await new Promise((resolve) => child.once("close", resolve));
  const lines = output.trimEnd().split("\n");
  const reply = lines.findIndex((line) => line.startsWith("{"));
  const names = (some: readonly string[]): readonly string[] =>
    some.filter((line) => line.startsWith("loads ")).map((line) => line.slice("loads ".length));
  return { before: names(lines.slice(0, reply)), after: names(lines.slice(reply)) };
}
