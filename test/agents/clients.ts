import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { need } from "../../packages/server/src/domain/testing/machine.ts";
import { root } from "../architecture/read-sources.ts";
import { installAgent, programFile, type Program } from "./install-agent.ts";
import type { Outcome } from "./outcome.ts";

/** A program that others make and that uses Holdfast. Its tests are Vitest files. */
export interface OtherClient extends Program {
  /** The beginning of their paths. */
  readonly tests: string;
}

/** Of the Agent Client Protocol, for scripts. */
export const ACPX: OtherClient = {
  name: "acpx",
  package: "acpx",
  version: "0.19.1",
  program: "acpx",
  tests: "test/doors/acpx",
};

/** Of the Model Context Protocol, for developers. */
export const INSPECTOR: OtherClient = {
  name: "inspector",
  package: "@modelcontextprotocol/inspector",
  version: "2.12.0",
  program: "mcp-inspector",
  tests: "test/doors/mcp/inspector",
};

export const OTHER_CLIENTS: readonly OtherClient[] = [ACPX, INSPECTOR];

const VITEST = path.join(root, "node_modules", "vitest", "vitest.mjs");

/** Its program, for tests that need it. Without it they are skipped. */
export function needClient(client: OtherClient): string {
  const { name, version } = client;
  const file = programFile(client);
  const hint = `${name} ${version} is not installed (npm run test:agents -- --scenario ${name})`;
  need(existsSync(file) ? null : hint);
  return file;
}

/** Installs the client and runs its tests. */
export async function tryClient(client: OtherClient): Promise<Outcome> {
  const installed = await installAgent(client);
  if (!installed.ok) return { status: "skipped", why: installed.why };
  const vitest = spawn(process.execPath, [VITEST, "run", client.tests], {
    cwd: root,
    stdio: "inherit",
  });
  await once(vitest, "exit");
  return vitest.exitCode === 0
    ? { status: "passed", note: client.version }
    : { status: "failed", why: "see above" };
}
