import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { z } from "zod";
import { BINARY, type ProcessResult } from "../e2e/holdfast-process.ts";
import type { EditorWorld } from "./editor-world.ts";

/** The client acpx with a home of its own, in the repository of a world. It knows Holdfast as the agent `holdfast`. */
export interface Acpx {
  /** The words of the command that starts `holdfast acp`. */
  readonly door: readonly string[];
  /** What `holdfast acp` wrote to an agent called `loading`, which cannot resume sessions. */
  readonly sentToLoading: () => readonly Line[];
  /** Runs a command to its end, with JSON as its output. */
  run(...args: readonly string[]): Promise<AcpxResult>;
  start(...args: readonly string[]): AcpxCommand;
  /** The ID of a new session, which the next prompts use. */
  newSession(): Promise<string>;
  /** Kills a process of the client, or the process of Holdfast that it has started. */
  kill(which: Victim): Promise<void>;
  end(): Promise<void>;
}

export const VICTIMS = ["holdfast acp", "acpx"] as const;
export type Victim = (typeof VICTIMS)[number];

export interface AcpxCommand {
  readonly lines: () => readonly Line[];
  readonly ended: Promise<AcpxResult>;
}

export interface AcpxResult extends ProcessResult {
  readonly lines: readonly Line[];
  readonly updates: readonly SessionUpdate[];
}

const lineSchema = z.looseObject({
  method: z.string().optional(),
  params: z.looseObject({ update: z.custom<SessionUpdate>().optional() }).optional(),
  result: z.unknown().optional(),
});
/** A message of the protocol, or the result of a command. */
export type Line = z.infer<typeof lineSchema>;

const statusSchema = z.object({ pid: z.number() });
const createdSchema = z.object({ acpxSessionId: z.string() });

export function openAcpx({ folder, root, server }: EditorWorld, file: string): Acpx {
  const home = path.join(folder, "acpx");
  const pidFile = path.join(folder, "holdfast-acp.pid");
  const record = path.join(folder, "sent-to-loading");
  const door = [process.execPath, BINARY, "acp", "--data", server().data];
  const agents = {
    holdfast: { argv: ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', pidFile, ...door] },
    loading: { argv: [process.execPath, WITHOUT_RESUME, record, ...door] },
  };
  mkdirSync(path.join(home, ".acpx"), { recursive: true });
  writeFileSync(path.join(home, ".acpx", "config.json"), JSON.stringify({ agents }));
  const env = { ...process.env, HOME: home };
  const used = new Set<string>();

  const start = (...args: readonly string[]): AcpxCommand => {
    for (const name of Object.keys(agents)) if (args.includes(name)) used.add(name);
    const child = spawn(process.execPath, [file, "--format", "json", ...args], {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const lines = (): readonly Line[] => linesOf(stdout);
    return {
      lines,
      ended: once(child, "close").then(() => ({
        code: child.exitCode,
        stdout,
        stderr,
        lines: lines(),
        updates: updatesOf(lines()),
      })),
    };
  };
  const run = (...args: readonly string[]): Promise<AcpxResult> => start(...args).ended;
  /** Of the process that keeps the connection to Holdfast between commands. */
  const ownerPid = async (): Promise<number> =>
    statusSchema.parse((await run("holdfast", "status")).lines[0]).pid;

  return {
    door,
    sentToLoading: () => linesOf(readFileSync(record, "utf8")),
    run,
    start,
    async newSession() {
      const { lines } = await run("holdfast", "sessions", "new");
      return createdSchema.parse(lines[0]).acpxSessionId;
    },
    async kill(which) {
      const pid = which === "acpx" ? await ownerPid() : Number(readFileSync(pidFile, "utf8"));
      process.kill(pid, "SIGKILL");
    },
    async end() {
      for (const name of used) await run(name, "sessions", "close");
    },
  };
}

const WITHOUT_RESUME = path.join(import.meta.dirname, "without-resume.ts");

/** The last line may be incomplete. */
function linesOf(text: string): readonly Line[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => lineSchema.parse(JSON.parse(line)));
}

export function updatesOf(lines: readonly Line[]): readonly SessionUpdate[] {
  return lines.flatMap(({ params }) => params?.update ?? []);
}
