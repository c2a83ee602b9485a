import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "vite";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { root } from "../architecture/read-sources.ts";
import { BILL_FILE } from "../dependencies/bill-of-materials.ts";
import { openFreshMachine, type FreshMachine } from "./fresh-machine.ts";
import { openLocalRegistry, type LocalRegistry } from "./local-registry.ts";
import { pack, type Packed } from "./packed.ts";

const MB = 1_000_000;
const NAMES = ["holdfast", "@holdfast/client", "@holdfast/protocol"] as const;

let machine: FreshMachine;
let registry: LocalRegistry;
const packed = new Map<string, Packed>();

function packageNamed(name: string): Packed {
  const found = packed.get(name);
  if (found === undefined) throw new Error(`${name} was not packed.`);
  return found;
}

beforeAll(async () => {
  needProgram("npm");
  needProgram("tar");
  execFileSync(process.execPath, [path.join(root, "scripts", "build.mjs")], { stdio: "pipe" });
  const target = path.join(root, ".cache", `packed-${process.pid}`);
  mkdirSync(target, { recursive: true });
  try {
    // The only dependency from another registry. It comes from node_modules: no network is needed.
    for (const folder of ["server", "client", "protocol"].map((name) => `packages/${name}`)) {
      const each = pack(folder, target);
      packed.set(each.name, each);
    }
    const zod = pack("node_modules/zod", target);
    registry = await openLocalRegistry([...packed.values(), zod]);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
  machine = openFreshMachine(registry.url);
});

afterAll(async () => {
  await machine?.close();
  await registry?.close();
});

describe.each(NAMES)("the package %s", (name) => {
  it("has no mistakes that publint or Are the types wrong? know", async () => {
    const { data } = packageNamed(name);
    const { messages } = await publint({ pack: { tarball: Uint8Array.from(data).buffer } });
    expect(messages).toEqual([]);
    const types = await checkPackage(createPackageFromTarballData(Uint8Array.from(data)));
    expect(types.types === false ? [] : types.problems).toEqual([]);
  });

  it("says what it is, and contains its licence and no leftovers", () => {
    const { manifest, files } = packageNamed(name);
    for (const field of ["description", "keywords", "homepage", "repository", "license", "engines"])
      expect(manifest).toHaveProperty(field);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    expect(
      files.filter((file) => /tsbuildinfo|stamp|\.test\.|testing|node_modules/u.test(file)),
    ).toEqual([]);
    const own = readFileSync(path.join(root, folderOf(name), "LICENSE"), "utf8");
    expect(own).toBe(readFileSync(path.join(root, "LICENSE"), "utf8"));
  });

  it("has source maps that lead to files of the package", () => {
    const folder = unpack(name);
    const broken = packageNamed(name)
      .files.filter((file) => file.endsWith(".map"))
      .filter((file) => {
        const { sources, sourcesContent } = JSON.parse(
          readFileSync(path.join(folder, file), "utf8"),
        ) as { readonly sources: readonly string[]; readonly sourcesContent?: readonly string[] };
        const base = path.dirname(path.join(folder, file));
        return (
          sourcesContent === undefined &&
          !sources.every((source) => existsSync(path.resolve(base, source)))
        );
      });
    expect(broken).toEqual([]);
  });
});

describe("the program", () => {
  it("is one small package that needs no other", () => {
    const { manifest, data, unpackedBytes } = packageNamed("holdfast");
    for (const kind of ["dependencies", "optionalDependencies", "peerDependencies"])
      expect(manifest).not.toHaveProperty(kind);
    expect(data.length).toBeLessThan(4 * MB);
    expect(unpackedBytes).toBeLessThan(13 * MB);
  });

  it("contains the licences of the libraries in it, and only libraries of the bill of materials", () => {
    const folder = unpack("holdfast");
    const bill = JSON.parse(readFileSync(path.join(root, BILL_FILE), "utf8")) as {
      readonly components: readonly { readonly name: string; readonly version: string }[];
    };
    const known = new Set(bill.components.map(({ name, version }) => `${name} - ${version}`));
    for (const part of ["program", "web"]) {
      const text = readFileSync(path.join(folder, "dist", part, "third-party-licenses.md"), "utf8");
      const titles = [...text.matchAll(/^## (\S+ - \d\S+) \(/gmu)].map(([, title]) => title ?? "");
      expect(titles).toContainEqual(expect.stringMatching(/^zod - |^react - /u));
      expect(titles.filter((title) => !known.has(title))).toEqual([]);
    }
  });

  it("runs with npx", async () => {
    const { version } = packageNamed("holdfast");
    expect(await machine.run("npx", ["npx", "holdfast", "--version"])).toBe(`${version}\n`);
  });

  it("is installed with npm install --global, brings nothing else, serves the page and runs an agent", async () => {
    await machine.run(".", ["npm", "install", "--global", "holdfast"]);
    expect(readdirSync(path.join(machine.folder, "global/lib/node_modules"))).toEqual(["holdfast"]);
    expect(
      existsSync(path.join(machine.folder, "global/lib/node_modules/holdfast/node_modules")),
    ).toBe(false);
    mkdirSync(path.join(machine.folder, "repo", ".git"), { recursive: true });
    const greeting = await machine.start(["holdfast", "serve", "--port", "0"], "Stop ");
    const url = /http:\/\/127\.0\.0\.1:\d+/u.exec(greeting)?.[0] ?? "";
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Holdfast")]);
    const id = (await machine.run(".", ["holdfast", "create", "--repo", "repo"])).trim();
    expect(await machine.run(".", ["holdfast", "send", id, "Hello"])).toContain("demo");

    await installClient("with-server");
    writeFileSync(
      path.join(machine.folder, "with-server", "list.cjs"),
      `const { createClient } = require("@holdfast/client");
       const { readFileSync } = require("node:fs");
       const token = readFileSync(process.env.HOLDFAST_DATA + "/token", "utf8").trim();
       createClient({ url: ${JSON.stringify(url)}, token }).sessions.list().then(({ total }) => console.log(total));`,
    );
    expect(await machine.run("with-server", ["node", "list.cjs"])).toBe("1\n");
  });
});

describe("the client", () => {
  const IMPORT = 'import { createClient } from "@holdfast/client";\n';
  const CALL = `const client = createClient({ url: "http://127.0.0.1:1", token: "t" });
console.log(typeof client.sessions.follow);
`;

  beforeAll(() => installClient("client"));

  const write = (file: string, text: string): void =>
    writeFileSync(path.join(machine.folder, "client", file), text);

  it("works as an ES module", async () => {
    write("use.mjs", IMPORT + CALL);
    expect(await machine.run("client", ["node", "use.mjs"])).toBe("function\n");
  });

  it("works with require, also on a Node that cannot require ES modules", async () => {
    write("use.cjs", `const { createClient } = require("@holdfast/client");\n${CALL}`);
    expect(await machine.run("client", ["node", "--no-require-module", "use.cjs"])).toBe(
      "function\n",
    );
  });

  it("works in a bundle", async () => {
    write("bundle.js", IMPORT + CALL);
    const folder = path.join(machine.folder, "client");
    await build({
      configFile: false,
      root: folder,
      logLevel: "error",
      build: {
        outDir: "bundled",
        lib: { entry: "bundle.js", formats: ["es"], fileName: () => "bundle.mjs" },
      },
    });
    expect(readFileSync(path.join(folder, "bundled/bundle.mjs"), "utf8")).not.toMatch(
      /from "@holdfast|from "zod/u,
    );
    expect(await machine.run("client/bundled", ["node", "bundle.mjs"])).toBe("function\n");
  });

  it.each([
    ["an ES module", "typed.mts", "nodenext"],
    ["CommonJS", "typed.cts", "nodenext"],
    ["a bundler", "typed.ts", "bundler"],
  ])("has types for %s under tsc --strict, libraries included", async (_, file, resolution) => {
    write(
      file,
      `import { createClient } from "@holdfast/client";
const client = createClient({ url: "http://127.0.0.1:1", token: "t" });
export const titles: Promise<readonly (string | null)[]> = client.sessions
  .list({ limit: 5 })
  .then(({ sessions }) => sessions.map(({ title }) => title));
// @ts-expect-error A limit is a number.
void client.sessions.list({ limit: "5" });
`,
    );
    const tsc = path.join(root, "node_modules", ".bin", "tsc");
    const options = [
      "--strict",
      "--noEmit",
      "--target",
      "es2024",
      "--lib",
      "es2024,dom,dom.asynciterable",
    ];
    const module = resolution === "bundler" ? "esnext" : "nodenext";
    await machine.run("client", [
      tsc,
      ...options,
      "--types",
      "",
      "--module",
      module,
      "--moduleResolution",
      resolution,
      file,
    ]);
  });
});

describe("the registry", () => {
  it("was asked for nothing that Holdfast does not publish or name", () => {
    expect(registry.missing).toEqual([]);
  });
});

function folderOf(name: string): string {
  return name === "holdfast" ? "packages/server" : name.replace("@holdfast/", "packages/");
}

function unpack(name: string): string {
  const folder = path.join(machine.folder, "unpacked", name);
  if (existsSync(folder)) return folder;
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xz", "--strip-components=1"], {
    cwd: folder,
    input: packageNamed(name).data,
  });
  return folder;
}

async function installClient(subfolder: string): Promise<void> {
  const folder = path.join(machine.folder, subfolder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  await machine.run(subfolder, ["npm", "install", "@holdfast/client"]);
}
