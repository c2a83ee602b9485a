import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";

const require = createRequire(import.meta.url);
const PROGRAM = require.resolve("@modelcontextprotocol/conformance/dist/index.js");

/** Of one scenario. */
const TIMEOUT_MS = 120_000;

const checksSchema = z.array(
  z.object({
    id: z.string(),
    status: z.enum(["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "INFO"]),
    errorMessage: z.string().optional(),
  }),
);

/** The checks of one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly passed: number;
  /** The checks that neither passed nor only inform, such as "FAILURE tools-list: no tools". */
  readonly findings: readonly string[];
}

/** Runs scenarios of the suite against a server, one after the other. */
export async function runSuite(
  url: string,
  selection: { readonly version: string } | { readonly scenario: string },
): Promise<readonly ScenarioResult[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-conformance-"));
  try {
    const selected =
      "version" in selection
        ? ["--suite", "all", "--spec-version", selection.version]
        : ["--scenario", selection.scenario];
    const limits = ["--timeout", String(TIMEOUT_MS), "--output-dir", folder];
    const output = await conformance(["server", "--url", url, ...selected, ...limits]);
    const results = readdirSync(folder).map((name) => resultOf(folder, name));
    if (results.length === 0) throw new Error(`The suite has run no scenario: ${output}`);
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Scenario {
  readonly name: string;
  /** Of the protocol; `extension` for those of no version. */
  readonly versions: readonly string[];
}

/** All scenarios for servers. */
export async function serverScenarios(): Promise<readonly Scenario[]> {
  const [ofServers = ""] = (await conformance(["list"])).split("\n\n");
  return [...ofServers.matchAll(/^ *- (?<name>\S+) \[(?<versions>.*)\]$/gmu)].map(({ groups }) => ({
    name: groups?.["name"] ?? "",
    versions: (groups?.["versions"] ?? "").split(","),
  }));
}

async function conformance(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return `${stdout}${stderr}`;
}

function resultOf(folder: string, name: string): ScenarioResult {
  const [, scenario = name] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/u.exec(name) ?? [];
  const file = readFileSync(path.join(folder, name, "checks.json"), "utf8");
  const checks = checksSchema.parse(JSON.parse(file));
  return {
    scenario,
    passed: checks.filter(({ status }) => status === "SUCCESS").length,
    findings: checks
      .filter(({ status }) => status !== "SUCCESS" && status !== "INFO")
      .map(({ id, status, errorMessage }) =>
        errorMessage === undefined ? `${status} ${id}` : `${status} ${id}: ${errorMessage}`,
      ),
  };
}
