import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { MAX_BODY_BYTES } from "../packages/server/src/http/server/server-limits.ts";
import { needProgram } from "../packages/server/src/domain/testing/machine.ts";
import { root } from "./architecture/read-sources.ts";
import {
  readDockerfile,
  type DockerInstruction,
  type DockerStage,
} from "./deployment/read-dockerfile.ts";
import { readUnit } from "./deployment/read-unit.ts";
import { removeFolder, temporaryFolder } from "./e2e/holdfast-process.ts";
import { freePort } from "../packages/server/src/storage/testing/free-port.ts";

const PORT = 4664;
const text = (file: string): string => readFileSync(path.join(root, file), "utf8");
const manifest = JSON.parse(text("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly workspaces: readonly string[];
};
const server = JSON.parse(text("packages/server/package.json")) as {
  readonly files: readonly string[];
  readonly engines: { readonly node: string };
};
const configurationPage = text("docs/configuration.md");
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0).toReversed()) close();
});

describe("the Dockerfile", () => {
  const [build, image] = readDockerfile(text("Dockerfile")) as [DockerStage, DockerStage];

  it("copies only files that exist and are not ignored, and every package.json before it installs", () => {
    const sources = [...build.instructions, ...image.instructions].flatMap(sourcesOf);
    expect(sources.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const ignored = text(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    const isIgnored = (file: string): boolean =>
      ignored.includes(file.split("/")[0] ?? "") && !ignored.includes(`!${file}`);
    expect(sources.filter(isIgnored)).toEqual([]);

    const installAt = build.instructions.findIndex(({ value }) => value === "npm ci");
    const before = build.instructions.slice(0, installAt).flatMap(sourcesOf);
    const manifests = ["", ...manifest.workspaces.map((folder) => `${folder}/`)];
    expect(before).toEqual(
      expect.arrayContaining(manifests.map((folder) => `${folder}package.json`)),
    );
  });

  it("runs only scripts of this repository", () => {
    const scripts = build.instructions.flatMap(
      ({ name, value }) => (name === "RUN" && /^npm run (\S+)$/u.exec(value)?.[1]) || [],
    );
    expect(scripts).toEqual(["build"]);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
  });

  it("uses a supported version of Node in both stages", () => {
    const minimum = Number(/^>=(\d+)\./u.exec(server.engines.node)?.[1]);
    for (const { from } of [build, image]) {
      const [, major] = /^node:(\d+)-slim$/u.exec(from) ?? [];
      expect(Number(major)).toBeGreaterThanOrEqual(minimum);
    }
  });

  it("copies all published files from the build, which suffice to serve and pass the health check", async () => {
    const folder = temporaryFolder();
    closers.push(() => removeFolder(folder));
    const copies = image.instructions.filter(
      ({ name, value }) => name === "COPY" && value.startsWith("--from"),
    );
    const targets = copies.map((copy) => {
      const [source = "", target = ""] = copy.value.replace("--from=build ", "").split(" ");
      expect(copy.value.startsWith("--from=build /src/")).toBe(true);
      const isFolder = target.endsWith("/");
      const to = isFolder ? path.basename(source) : target;
      cpSync(path.join(root, source.slice("/src/".length)), path.join(folder, "app", to), {
        recursive: true,
      });
      return to;
    });
    expect(targets.toSorted()).toEqual([...server.files, "package.json"].toSorted());

    const env = environmentOf(image);
    expect(env).toEqual({
      HOLDFAST_HOST: "0.0.0.0",
      HOLDFAST_PORT: String(PORT),
      HOLDFAST_DATA: "/data",
      AGENT_WORKSPACE_ROOT: "/workspace",
      HOLDFAST_GIT_OWNERS: "any",
    });
    const entry = jsonOf(image, "ENTRYPOINT");
    expect(entry.slice(0, 3)).toEqual(["tini", "--", "node"]);
    const program = entry[3]?.replace("/opt/holdfast", path.join(folder, "app")) ?? "";
    mkdirSync(path.join(folder, "workspace"));
    const port = await freePort();
    const settings = {
      PATH: process.env["PATH"],
      HOME: folder,
      HOLDFAST_TOKEN: "secret",
      ...env,
      HOLDFAST_PORT: String(port),
      HOLDFAST_DATA: path.join(folder, "data"),
      AGENT_WORKSPACE_ROOT: path.join(folder, "workspace"),
    };
    const child = spawn(process.execPath, [program, ...jsonOf(image, "CMD")], {
      env: settings,
      stdio: ["ignore", "pipe", "inherit"],
    });
    closers.push(() => void child.kill("SIGKILL"));
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("Stop ")) resolve();
      });
      child.once("exit", (code) => reject(new Error(`exited with ${code}`)));
    });

    const [command, file = ""] = healthCheckOf(image);
    expect(command).toBe("node");
    const check = file.replace("/opt/holdfast", path.join(folder, "app"));
    const healthy = (): number | null =>
      spawnSync(process.execPath, [check], { env: settings }).status;
    expect(healthy()).toBe(0);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(healthy()).toBe(1);
  });

  it("contains the licence and the bill of materials", () => {
    const copied = image.instructions.flatMap(sourcesOf);
    expect(copied).toEqual(["LICENSE", "docs/reference/sbom.cdx.json"]);
  });

  it("does not run as root, and keeps data and repositories in volumes of that user", () => {
    expect(valueOf(image, "USER")).toBe("node");
    expect(jsonOf(image, "VOLUME")).toEqual(["/data", "/workspace"]);
    expect(
      image.instructions.some(({ value }) => value.includes("chown node:node /data /workspace")),
    ).toBe(true);
    expect(valueOf(image, "EXPOSE")).toBe(String(PORT));
  });
});

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly stop_grace_period?: string;
}

describe("the compose file", () => {
  const compose = parse(text("compose.yaml"), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  };
  const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith("node-"));

  it("has three nodes with their own names and data, and one database, token and workspace", () => {
    expect(nodes.map(([name]) => name)).toEqual(["node-1", "node-2", "node-3"]);
    for (const [name, { environment, volumes, image }] of nodes) {
      expect({ environment, volumes, image }).toEqual({
        image: "holdfast",
        environment: {
          HOLDFAST_DATABASE_URL: expect.stringContaining("@database:5432/holdfast"),
          HOLDFAST_TOKEN: expect.stringContaining("${HOLDFAST_TOKEN:?"),
          HOLDFAST_NODE_NAME: name,
        },
        volumes: [`${name.replace("node", "data")}:/data`, "workspace:/workspace"],
      });
    }
  });

  it("gives a node more time to stop than it needs", () => {
    for (const [, service] of nodes) expect(seconds(service.stop_grace_period)).toBeGreaterThan(20);
  });

  it("declares every volume it uses, and mounts only files that exist", () => {
    const used = Object.values(compose.services).flatMap(({ volumes }) =>
      volumes.map((volume) => volume.split(":")[0] ?? ""),
    );
    const files = used.filter((name) => name.startsWith("./"));
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    expect(new Set(used.filter((name) => !files.includes(name)))).toEqual(
      new Set(Object.keys(compose.volumes)),
    );
  });

  it("gives the proxy every node, with the port of the image", () => {
    const upstreams = compose.services["proxy"]?.environment["HOLDFAST_NODES"]?.split(" ");
    expect(upstreams).toEqual(nodes.map(([name]) => `${name}:${PORT}`));
    const caddyfile = text("deploy/Caddyfile");
    const variables = [...caddyfile.matchAll(/\{\$(\w+)\}/gu)].map(([, name]) => name);
    expect(new Set(variables)).toEqual(
      new Set(Object.keys(compose.services["proxy"]?.environment ?? {})),
    );
  });
});

describe("the proxies' settings", () => {
  it("forward each event immediately, and wait longer than a stream is ever silent", () => {
    expect(text("deploy/Caddyfile")).toMatch(/^\s*flush_interval -1$/mu);
    const nginx = text("deploy/nginx.conf");
    for (const line of ["proxy_buffering off;", "proxy_request_buffering off;"]) {
      expect(nginx).toContain(line);
    }
    expect(Number(/proxy_read_timeout (\d+)s;/u.exec(nginx)?.[1])).toBeGreaterThan(30);
    expect(nginx).toContain("proxy_set_header Host $http_host;");
  });

  it("P6: accept bodies as large as a node does, and exclude no node after a single failure", () => {
    const nginx = text("deploy/nginx.conf");
    const sizes = [...nginx.matchAll(/client_max_body_size (\w+);/gu)].map(([, size]) => size);
    expect(sizes).toEqual(["2m", "4g"]);
    expect(MAX_BODY_BYTES).toBe(2 * 1024 ** 2);
    expect(nginx).toMatch(/location = \/api\/sessions\/import \{\s+client_max_body_size 4g;/u);
    const fails = [...nginx.matchAll(/^\s*server .*max_fails=(\d+)/gmu)].map(([, n]) => Number(n));
    expect(fails).toHaveLength(3);
    for (const allowed of fails) expect(allowed).not.toBe(1);
  });
});

describe("the systemd unit", () => {
  const unit = readUnit(text("deploy/holdfast.service"));

  it("signals only the server to stop, waits long enough, and restarts it", () => {
    expect(unit).toMatchObject({
      Service: {
        KillMode: ["process"],
        RestartKillSignal: ["SIGUSR2"],
        Restart: ["always"],
        RestartPreventExitStatus: ["64"],
        ExecStart: ["/usr/bin/node /opt/holdfast/bin/holdfast.js serve"],
      },
    });
    expect(Number(unit["Service"]?.["TimeoutStopSec"]?.[0])).toBeGreaterThan(20);
    // Otherwise systemd gives up after five starts within ten seconds, while the database is still starting.
    expect(unit["Unit"]?.["StartLimitIntervalSec"]).toEqual(["0"]);
  });

  it("has no setting that breaks Node or the agents' sandboxes", () => {
    const forbidden = ["MemoryDenyWriteExecute", "RestrictNamespaces", "SystemCallFilter"];
    expect(Object.keys(unit["Service"] ?? {}).filter((key) => forbidden.includes(key))).toEqual([]);
  });

  it("is valid for systemd", () => {
    needProgram("systemd-analyze", "systemd");
    const folder = temporaryFolder();
    closers.push(() => removeFolder(folder));
    const file = path.join(folder, "holdfast.service");
    // systemd-analyze checks that the program exists.
    const unitText = text("deploy/holdfast.service").replace("/usr/bin/node", process.execPath);
    writeFileSync(file, unitText);
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    const errors = stderr.split("\n").filter((line) => line.includes(file));
    expect({ status, errors }).toEqual({ status: 0, errors: [] });
  });
});

describe("the settings of the service", () => {
  const unit = readUnit(text("deploy/holdfast.service"));

  it("start a server as they are, with the environment and the command of the unit", async () => {
    const folder = temporaryFolder();
    closers.push(() => removeFolder(folder));
    const workspace = path.join(folder, "workspace");
    mkdirSync(workspace);
    const assignments = [
      ...(unit["Service"]?.["Environment"] ?? []),
      ...text("deploy/holdfast.env").split("\n"),
    ].filter((line) => line !== "" && !line.startsWith("#"));
    const settings = assignments.map((line) => /^([A-Z_]+)=(\S+)$/u.exec(line)?.slice(1) ?? [line]);
    const env = Object.fromEntries(settings) as Record<string, string>;
    expect(env).toEqual({
      HOLDFAST_DATA: "/var/lib/holdfast",
      HOME: "/var/lib/holdfast",
      HOLDFAST_HOST: "127.0.0.1",
      HOLDFAST_PORT: String(PORT),
    });
    expect(unit["Service"]?.["WorkingDirectory"]).toEqual(["/srv/workspace"]);
    expect(unit["Service"]?.["ReadWritePaths"]).toEqual(["/srv/workspace"]);

    // Only folders and the port, which another server may use, differ from the service.
    const [, , ...args] = unit["Service"]?.["ExecStart"]?.[0]?.split(" ") ?? [];
    const data = path.join(folder, "data");
    const program = path.join(root, "packages/server/bin/holdfast.js");
    const child = spawn(process.execPath, [program, ...args, "--port", "0"], {
      cwd: workspace,
      env: { PATH: process.env["PATH"], ...env, HOLDFAST_DATA: data, HOME: data },
      stdio: ["ignore", "pipe", "inherit"],
    });
    closers.push(() => void child.kill("SIGKILL"));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    let greeting = "";
    child.stdout.on("data", (chunk: Buffer) => {
      greeting += chunk.toString();
      if (greeting.includes("Stop ")) child.kill("SIGTERM");
    });
    expect(await ended).toBe(0);
    expect(greeting).toContain("is ready at http://127.0.0.1:");
    expect(greeting).toContain(`inside ${workspace}\n`);
    expect(greeting).toContain(`SQLite, ${path.join(data, "holdfast.db")}\n`);
  });
});

describe("every setting", () => {
  it.each(["Dockerfile", "compose.yaml", "deploy/holdfast.service", "deploy/holdfast.env"])(
    "in %s is documented",
    (file) => {
      const used = new Set(text(file).match(/\b(?:HOLDFAST|AGENT)_[A-Z_]+\b/gu));
      const proxyVariables = new Set(["HOLDFAST_SITE", "HOLDFAST_NODES"]);
      const unknown = [...used].filter(
        (name) => !proxyVariables.has(name) && !configurationPage.includes(`\`${name}\``),
      );
      expect(unknown).toEqual([]);
    },
  );
});

function sourcesOf({ name, value }: DockerInstruction): readonly string[] {
  if (name !== "COPY" || value.startsWith("--from")) return [];
  return value.split(" ").slice(0, -1);
}

function valueOf({ instructions }: DockerStage, name: string): string {
  return instructions.find((instruction) => instruction.name === name)?.value ?? "";
}

function jsonOf(stage: DockerStage, name: string): readonly string[] {
  return JSON.parse(valueOf(stage, name)) as readonly string[];
}

function healthCheckOf(stage: DockerStage): readonly string[] {
  const [, command = "[]"] = valueOf(stage, "HEALTHCHECK").split(" CMD ");
  return JSON.parse(command) as readonly string[];
}

function environmentOf(stage: DockerStage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    valueOf(stage, "ENV")
      .split(/\s+/u)
      .map((pair) => pair.split("=") as [string, string]),
  );
}

function seconds(duration: string | undefined): number {
  return Number(/^(\d+)s$/u.exec(duration ?? "")?.[1]);
}
