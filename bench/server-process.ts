import { spawn } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { TOKEN_ENV } from "../packages/server/src/http/testing/server-token.ts";

export const BINARY = path.resolve(import.meta.dirname, "../packages/server/bin/holdfast.js");

/** Copies the current program, so that a build during the benchmark does not change it. */
export function copyProgram(folder: string): string {
  const server = path.dirname(path.dirname(BINARY));
  for (const part of ["bin", "dist/program", "dist/web", "package.json"]) {
    cpSync(path.join(server, part), path.join(folder, part), { recursive: true });
  }
  return path.join(folder, "bin/holdfast.js");
}

export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  /** Time from the start of the process until it was ready. */
  readonly readyMs: number;
  kill(): Promise<void>;
}

/** The built server, as users run it. */
export async function startServer(
  data: string,
  env: Readonly<Record<string, string>>,
): Promise<BenchServer> {
  const start = performance.now();
  const child = spawn(process.execPath, [BINARY, "serve", "--data", data, "--port", "0"], {
    env: { ...process.env, ...TOKEN_ENV, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("Stop ")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the server exited with ${code}`)));
  });
  const readyMs = performance.now() - start;
  const { url }: { readonly url: string } = JSON.parse(
    readFileSync(path.join(data, "server.json"), "utf8"),
  );
  return {
    url,
    pid: child.pid ?? 0,
    readyMs,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
