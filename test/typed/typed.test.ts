import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import { createTestDatabase } from "../../packages/server/src/storage/testing/test-database.ts";
import { root } from "../architecture/read-sources.ts";
import { removeFolder, startHoldfast, temporaryFolder } from "../e2e/holdfast-process.ts";
import { pagesWithCommands } from "./code-blocks.ts";
import { NOT_TYPED, PAGES } from "./pages.ts";
import { typePage } from "./typed-page.ts";
import { TypedShell } from "./typed-shell.ts";

let home: string;
let project: string;
let data: string;
const leftovers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  home = temporaryFolder();
  project = path.join(home, "project");
  data = path.join(home, ".local/share/holdfast");
  install();
  mkdirSync(project);
  execFileSync("git", ["init", "-q", project]);
  writeFileSync(path.join(project, "parse.ts"), "export const parse = JSON.parse;\n");
});
afterEach(async () => {
  for (const remove of leftovers.splice(0).toReversed()) await remove();
  removeFolder(home);
});

describe("what a reader types", () => {
  it.each(PAGES)("from $page works", async (page) => {
    for (const program of page.needs ?? []) needProgram(program);
    const port = page.isInClone === true ? String(await freePort()) : await startServer();
    const here = {
      "4664": port,
      "4700": "0",
      "/backups": path.join(home, "backups"),
      "/var/lib/holdfast": data,
      "postgres://me@db.example/holdfast": page.needs?.includes("jq") ? await postgres() : "",
    };
    const literal = (command: string): string =>
      Object.entries(here).reduce((text, [there, ours]) => text.replaceAll(there, ours), command);
    const shell = new TypedShell({
      folder: page.isInClone === true ? root : project,
      screenFile: path.join(home, "screen"),
      env: {
        HOME: home,
        PATH: `${path.join(home, "bin")}:${process.env["PATH"]}`,
        HOLDFAST_PORT: port,
        npm_config_prefix: path.join(home, "npm"),
        LANG: "C.UTF-8",
      },
    });
    leftovers.push(
      () => shell.end(),
      // A page may leave one in the background.
      () => shell.type("holdfast down"),
    );
    expect(await typePage(page, { shell, literal })).toEqual([]);
  });
});

it("every page with commands is typed, or it is said why not", () => {
  const typed = new Set([...PAGES.map(({ page }) => page), ...Object.keys(NOT_TYPED)]);
  expect(pagesWithCommands().filter((page) => !typed.has(page))).toEqual([]);
});

/** As `npm install --global` does. */
function install(): void {
  const program = path.join(root, "packages/server");
  const modules = path.join(home, "npm/lib/node_modules");
  mkdirSync(modules, { recursive: true });
  symlinkSync(program, path.join(modules, "holdfast"));
  mkdirSync(path.join(home, "bin"));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${program}/bin/holdfast.js" "$@"\n`;
  writeFileSync(path.join(home, "bin/holdfast"), script, { mode: 0o755 });
}

/** Returns its port. */
async function startServer(): Promise<string> {
  const server = await startHoldfast({ data, env: { HOME: home, AGENT_WORKSPACE_ROOT: home } });
  leftovers.push(() => server.end("SIGKILL"));
  return new URL(server.url).port;
}

/** The URL of an empty database. */
async function postgres(): Promise<string> {
  const database = await createTestDatabase("postgres");
  leftovers.push(() => database.remove());
  return database.location.engine === "postgres" ? database.location.url : "";
}
