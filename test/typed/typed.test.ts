import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { createTestDatabase } from "../../packages/server/src/storage/testing/test-database.ts";
import { root } from "../architecture/read-sources.ts";
import {
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { PAGES, NOT_TYPED } from "./pages.ts";
import { pagesWithCommands } from "./code-blocks.ts";
import { typePage } from "./typed-page.ts";
import { TypedShell } from "./typed-shell.ts";

let home: string;
let server: RunningServer;
let shell: TypedShell;
beforeEach(async () => {
  home = temporaryFolder();
  const project = path.join(home, "project");
  mkdirSync(path.join(home, "bin"));
  mkdirSync(project);
  writeFileSync(
    path.join(home, "bin", "holdfast"),
    `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, "packages/server/bin/holdfast.js")}" "$@"\n`,
    { mode: 0o755 },
  );
  const installed = path.join(home, "npm/lib/node_modules");
  mkdirSync(installed, { recursive: true });
  symlinkSync(path.join(root, "packages/server"), path.join(installed, "holdfast"));
  execFileSync("git", ["init", "-q", project]);
  writeFileSync(path.join(project, "parse.ts"), "export const parse = JSON.parse;\n");
  const data = path.join(home, ".local/share/holdfast");
  server = await startHoldfast({ data, env: { HOME: home, AGENT_WORKSPACE_ROOT: home } });
  const port = new URL(server.url).port;
  shell = new TypedShell({
    folder: project,
    env: {
      HOME: home,
      PATH: `${path.join(home, "bin")}:${process.env["PATH"]}`,
      HOLDFAST_PORT: port,
      npm_config_prefix: path.join(home, "npm"),
      LANG: "C.UTF-8",
    },
  });
});
afterEach(async () => {
  await shell.end();
  await server.end("SIGKILL");
  removeFolder(home);
});

describe("what a reader types", () => {
  it.each(PAGES)("from $page works", async (page) => {
    for (const program of page.needs ?? []) needProgram(program);
    const database = await createTestDatabase("postgres");
    const { location } = database;
    const here = {
      "4664": new URL(server.url).port,
      "/backups": path.join(home, "backups"),
      "/var/lib/holdfast": server.data,
      "postgres://me@db.example/holdfast": location.engine === "postgres" ? location.url : "",
    };
    const literal = (command: string): string =>
      Object.entries(here).reduce((text, [there, ours]) => text.replaceAll(there, ours), command);
    const wrong = await typePage(page, { shell, literal });
    await database.remove();
    expect(wrong).toEqual([]);
  });
});

it("every page with commands is typed, or it is said why not", () => {
  const typed = new Set([...PAGES.map(({ page }) => page), ...Object.keys(NOT_TYPED)]);
  expect(pagesWithCommands().filter((page) => !typed.has(page))).toEqual([]);
});
