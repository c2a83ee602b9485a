import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { RealAgent } from "./real-agents.ts";

const INSTALL_MS = 300_000;

/** A program of a package, in a pinned version. */
export type Program = Pick<RealAgent, "name" | "package" | "version" | "program">;

export type Installed<Of extends Program> =
  | { readonly ok: true; readonly agent: Of & { readonly file: string } }
  | { readonly ok: false; readonly agent: Of; readonly why: string };

export interface InstalledAgent extends RealAgent {
  /** The program's file. */
  readonly file: string;
}

/** Installs the pinned version in the user's cache folder, where the next run finds it. */
export async function installAgent<Of extends Program>(agent: Of): Promise<Installed<Of>> {
  const folder = folderOf(agent);
  const file = programFile(agent);
  const stamp = path.join(folder, ".installed");
  if (!existsSync(stamp)) {
    mkdirSync(folder, { recursive: true });
    const why = await npmInstall(folder, `${agent.package}@${agent.version}`);
    if (why !== null) return { ok: false, agent, why };
    if (!existsSync(file))
      return { ok: false, agent, why: `the package has no program ${agent.program}` };
    writeFileSync(stamp, "");
  }
  return { ok: true, agent: { ...agent, file } };
}

export function programFile(program: Program): string {
  return path.join(folderOf(program), "node_modules", ".bin", program.program);
}

function folderOf({ name, version }: Program): string {
  return path.join(cacheFolder(), `${name}@${version}`);
}

/** Null if it succeeded, otherwise the first line of the error. */
function npmInstall(folder: string, spec: string): Promise<string | null> {
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", spec];
  return new Promise((resolve) => {
    execFile("npm", args, { cwd: folder, timeout: INSTALL_MS }, (error, _stdout, stderr) => {
      const [line] = stderr.split("\n").filter((text) => text.trim() !== "");
      resolve(error === null ? null : (line ?? error.message));
    });
  });
}

function cacheFolder(): string {
  return path.join(systemCache(), "holdfast", "agents");
}

function systemCache(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (process.platform === "darwin") return path.join(homedir(), "Library", "Caches");
  if (process.platform === "win32") {
    return LOCALAPPDATA ?? path.join(homedir(), "AppData", "Local");
  }
  return XDG_CACHE_HOME ?? path.join(homedir(), ".cache");
}
