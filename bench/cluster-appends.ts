import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface AppendRate {
  readonly nodes: number;
  readonly perSecond: number;
  /** Processor time for one appended event. */
  readonly nodeCpuUs: number;
  readonly databaseCpuUs: number;
}

const WRITER = path.join(import.meta.dirname, "cluster-writer.ts");
const SESSIONS_PER_NODE = 20;
const TICKS_PER_SECOND = 100;

/** Measures one, two and three processes that only write, each to its own sessions. */
export async function measureAppends(
  url: string,
  { seconds }: { readonly seconds: number },
): Promise<readonly AppendRate[]> {
  const rates: AppendRate[] = [];
  for (const nodes of [1, 2, 3]) {
    const writers = await Promise.all(
      Array.from({ length: nodes }, () => startWriter({ url, seconds })),
    );
    const before = databaseCpuMs(url);
    const results = await Promise.all(writers.map((write) => write()));
    const databaseMs = databaseCpuMs(url) - before;
    const appended = results.reduce((sum, result) => sum + result.appended, 0);
    const cpuMs = results.reduce((sum, result) => sum + result.cpuMs, 0);
    rates.push({
      nodes,
      perSecond: appended / seconds,
      nodeCpuUs: (cpuMs * 1_000) / appended,
      databaseCpuUs: (databaseMs * 1_000) / appended,
    });
  }
  return rates;
}

interface WriterResult {
  readonly appended: number;
  readonly cpuMs: number;
}

/** Resolves when the process has created its sessions, to a function that starts the writing. */
async function startWriter({
  url,
  seconds,
}: {
  readonly url: string;
  readonly seconds: number;
}): Promise<() => Promise<WriterResult>> {
  const options = JSON.stringify({ url, seconds, sessions: SESSIONS_PER_NODE });
  const flags = ["--conditions=holdfast-source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, WRITER, options], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  const line = (matches: (text: string) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (matches(output)) resolve();
      };
      child.stdout.on("data", check);
      child.once("exit", (code) => reject(new Error(`a writer exited with ${code}`)));
    });
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await line((text) => text.includes("ready\n"));
  return async () => {
    const done = line((text) => text.split("\n").length > 2);
    child.stdin.write("go\n");
    await done;
    return JSON.parse(output.split("\n")[1] ?? "{}");
  };
}

/** CPU time of the server at this port and all its processes, including exited ones. */
function databaseCpuMs(url: string): number {
  const { port } = new URL(url);
  const postmaster = readdirSync("/proc").find((pid) => isPostmaster(pid, port));
  if (postmaster === undefined) return Number.NaN;
  const pids = readdirSync("/proc").filter((pid) => /^\d+$/u.test(pid));
  return pids.reduce((sum, pid) => {
    const stat = statOf(pid);
    if (stat === null || (pid !== postmaster && stat.parent !== postmaster)) return sum;
    return sum + stat.cpuMs + (pid === postmaster ? stat.childrenMs : 0);
  }, 0);
}

function isPostmaster(pid: string, port: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return path.basename(command[0] ?? "") === "postgres" && command.includes(port);
  } catch {
    return false;
  }
}

function statOf(
  pid: string,
): { readonly parent: string; readonly cpuMs: number; readonly childrenMs: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ms = (from: number): number =>
      ((Number(fields[from]) + Number(fields[from + 1])) * 1_000) / TICKS_PER_SECOND;
    return { parent: fields[1] ?? "", cpuMs: ms(11), childrenMs: ms(13) };
  } catch {
    return null;
  }
}
