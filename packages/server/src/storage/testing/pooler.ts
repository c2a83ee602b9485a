import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { MissingHere } from "../../domain/testing/machine.ts";
import { freePort } from "./free-port.ts";

export interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
}

const NOBODY = 65_534;

/** Debian installs it in a folder that is not in a user's PATH. */
function findPooler(): string {
  const places = ["pgbouncer", "/usr/sbin/pgbouncer"];
  const found = places.find((place) => spawnSync(place, ["--version"]).status === 0);
  if (found !== undefined) return found;
  throw new MissingHere("pgbouncer is not installed (Debian: apt install pgbouncer)");
}

/** PgBouncer in transaction mode with few connections. */
export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const program = findPooler();
  const { port: target } = new URL(databaseUrl);
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-pooler-"));
  const port = await freePort();
  writeFileSync(path.join(folder, "users.txt"), '"postgres" ""\n');
  writeFileSync(
    path.join(folder, "pgbouncer.ini"),
    [
      "[databases]",
      `* = host=127.0.0.1 port=${target}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${path.join(folder, "users.txt")}`,
      "pool_mode = transaction",
      "default_pool_size = 10",
    ].join("\n"),
  );
  chmodSync(folder, 0o755);
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(program, [path.join(folder, "pgbouncer.ini")], {
    ...identity,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("process up")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`pgbouncer ended with ${code}: ${said}`)));
  });
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
