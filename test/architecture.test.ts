import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { violationsIn, layersBelow } from "./architecture/violations.ts";
import { importCycles, crowdedFolders } from "./architecture/folders.ts";
import { layers } from "./architecture/layers.ts";
import { readSources, root } from "./architecture/read-sources.ts";
import { scanImports } from "./architecture/scan-imports.ts";

const server = "packages/server/src";

describe("the architecture", () => {
  it("holds in every source file", () => {
    expect(violationsIn(readSources())).toEqual([]);
  });

  it("keeps folders small", () => {
    expect(crowdedFolders(readSources())).toEqual([]);
  });

  it("has no import cycle, not even through types", () => {
    expect(importCycles(readSources())).toEqual([]);
  });

  it("has a row for every layer and package", () => {
    const listed = layers.map(({ folder }) => folder);
    const packages = readdirSync(join(root, "packages")).filter((name) => name !== "server");
    const folders = [
      ...readdirSync(join(root, server)).map((name) => `${server}/${name}`),
      ...packages.map((name) => `packages/${name}/src`),
    ];
    expect(folders.filter((folder) => !listed.includes(folder))).toEqual([]);
  });

  it("points down only: no layer depends on itself", () => {
    expect(layers.filter((layer) => layersBelow(layer).includes(layer))).toEqual([]);
  });

  const present = layers.filter(({ folder }) => existsSync(join(root, folder)));
  it.each(present)("gives the compiler the same imports for $name", ({ folder, imports }) => {
    expect(referencesOf(folder).toSorted()).toEqual(imports.toSorted());
  });
});

describe("a source file is a violation when", () => {
  const cases: readonly {
    readonly it: string;
    readonly path: string;
    readonly source: string;
    readonly violation: string;
  }[] = [
    {
      it: "it imports a layer above its own",
      path: `${server}/domain/session.ts`,
      source: 'import { openStore } from "../storage/store.ts";',
      violation: "domain may not import storage (../storage/store.ts)",
    },
    {
      it: "it imports only a type from a layer above",
      path: `${server}/runtime/driver.ts`,
      source: 'import type {\n  Route,\n} from "../http/route.ts";',
      violation: "runtime may not import http (../http/route.ts)",
    },
    {
      it: "it re-exports from a layer above",
      path: `${server}/storage/store.ts`,
      source: 'export * from "../runtime/hub.ts";',
      violation: "storage may not import runtime (../runtime/hub.ts)",
    },
    {
      it: "it names a layer above in a type",
      path: `${server}/domain/session.ts`,
      source: 'export type Row = import("../storage/tables.ts").Row;',
      violation: "domain may not import storage (../storage/tables.ts)",
    },
    {
      it: "it imports a layer above dynamically",
      path: `${server}/providers/demo/agent.ts`,
      source: 'export const load = () => import("../../cli/serve.ts");',
      violation: "providers may not import cli (../../cli/serve.ts)",
    },
    {
      it: "a route skips the runtime and reads the store",
      path: `${server}/http/routes/sessions.ts`,
      source: 'import { openStore } from "../../storage/store.ts";',
      violation: "http may not import storage (../../storage/store.ts)",
    },
    {
      it: "a route skips the runtime and speaks to a provider",
      path: `${server}/http/routes/providers.ts`,
      source: 'import { acp } from "../../providers/acp/agent.ts";',
      violation: "http may not import providers (../../providers/acp/agent.ts)",
    },
    {
      it: "storage imports providers",
      path: `${server}/storage/store.ts`,
      source: 'import "../providers/provider.ts";',
      violation: "storage may not import providers (../providers/provider.ts)",
    },
    {
      it: "the domain imports the protocol",
      path: `${server}/domain/session.ts`,
      source: 'import { Session } from "@holdfast/protocol";',
      violation: "domain may not import protocol (@holdfast/protocol)",
    },
    {
      it: "the web page imports the server by path",
      path: "packages/web/src/app.tsx",
      source: 'import { decide } from "../../server/src/domain/kernel/decide.ts";',
      violation: "web may not import domain (../../server/src/domain/kernel/decide.ts)",
    },
    {
      it: "the web page imports the server by name",
      path: "packages/web/src/app.tsx",
      source: 'import "holdfast";',
      violation: "web may not use the npm package holdfast",
    },
    {
      it: "it reaches into another package by path",
      path: "packages/client/src/index.ts",
      source: 'export * from "../../protocol/src/session.ts";',
      violation:
        "../../protocol/src/session.ts reaches into another package: import it by its name",
    },
    {
      it: "it imports a value from node:http, which loads all of fetch",
      path: `${server}/providers/network/egress.ts`,
      source: 'import path from "node:path";\nimport {\n  createServer,\n} from "node:http";',
      violation: "imports more than types from node:http: use process.getBuiltinModule",
    },
    {
      it: "it imports a file outside the layers",
      path: `${server}/cli/version.ts`,
      source: 'import manifest from "../../package.json" with { type: "json" };',
      violation: "../../package.json is in no layer",
    },
    {
      it: "it uses an npm package that its layer does not list",
      path: `${server}/storage/store.ts`,
      source: 'import { z } from "zod/v4";',
      violation: "storage may not use the npm package zod",
    },
    {
      it: "it uses a scoped npm package that its layer does not list",
      path: `${server}/runtime/driver.ts`,
      source: 'import { client } from "@agentclientprotocol/sdk/client";',
      violation: "runtime may not use the npm package @agentclientprotocol/sdk",
    },
    {
      it: "it imports a module by a computed name",
      path: `${server}/storage/migrate.ts`,
      source: "export const load = (name: string) => import(`./${name}.ts`);",
      violation: "imports a module by a computed name, which cannot be checked",
    },
    ...["domain", "protocol", "client", "web"].map((name) => ({
      it: `${name} imports a module of Node`,
      path: `${layers.find((layer) => layer.name === name)?.folder}/clock.ts`,
      source: 'import { readFileSync } from "node:fs";',
      violation: `${name} may not import node:fs`,
    })),
    {
      it: "production code uses test code",
      path: `${server}/storage/store.ts`,
      source: 'import { openTestStore } from "./testing/open-test-store.ts";',
      violation: "./testing/open-test-store.ts is for tests only",
    },
    {
      it: "production code uses the test runner",
      path: `${server}/domain/session.ts`,
      source: 'import { expect } from "vitest";',
      violation: "domain may not use the npm package vitest",
    },
    {
      it: "a test imports a layer above its own",
      path: `${server}/storage/store.test.ts`,
      source: 'import { serve } from "../http/serve.ts";',
      violation: "storage may not import http (../http/serve.ts)",
    },
    {
      it: "there is an index.ts inside a package",
      path: `${server}/storage/index.ts`,
      source: "export {};",
      violation: "index.ts is only allowed as the entry of a package",
    },
    {
      it: "a file name is not kebab-case",
      path: `${server}/storage/eventLog.ts`,
      source: "export {};",
      violation: "eventLog.ts is not kebab-case",
    },
    {
      it: "a folder name is not kebab-case",
      path: "test/end_to_end/serve.test.ts",
      source: "export {};",
      violation: "end_to_end/ is not kebab-case",
    },
    {
      it: "a file has more than 400 lines",
      path: "scripts/start.mjs",
      source: "start();\n".repeat(401),
      violation: "401 lines; the maximum is 400",
    },
    ...["utils", "helpers", "common", "services", "managers", "core", "impl"].map((folder) => ({
      it: `its folder is called ${folder}`,
      path: `${server}/runtime/${folder}/queue.ts`,
      source: "export {};",
      violation: `${folder}/ is meaningless: name the folder after its concept`,
    })),
  ];

  it.each(cases)("$it", ({ path, source, violation }) => {
    expect(violationsIn([{ path, source }])).toEqual([`${path}: ${violation}`]);
  });
});

describe("a source file is no violation when", () => {
  it.each([
    ["it imports the layer below", `${server}/http/app.ts`, 'import "../runtime/hub.ts";'],
    ["it imports its own layer", `${server}/domain/a.ts`, 'import "./b.ts";'],
    ["its layer lists the package", `${server}/http/app.ts`, 'import fastify from "fastify";'],
    ["its layer lists the workspace", "packages/web/src/app.tsx", 'import "@holdfast/client";'],
    ["a test uses the runner", `${server}/domain/a.test.ts`, 'import "vitest"; import "node:fs";'],
    [
      "a test imports a layer far below",
      `${server}/http/a.test.ts`,
      'import "../storage/store.ts";',
    ],
    [
      "a test helper uses a package of a layer below",
      `${server}/http/testing/a.ts`,
      'import "kysely";',
    ],
    ["an import is in a comment", `${server}/domain/a.ts`, '// import "node:fs"\nexport {};'],
    ["it has exactly 400 lines", "scripts/start.mjs", "start();\n".repeat(400)],
  ])("%s", (_, path, source) => {
    expect(violationsIn([{ path, source }])).toEqual([]);
  });
});

describe("the import scanner", () => {
  it("finds every form of import once, and nothing in comments and strings", () => {
    const source = `
      import a, {
        type B,
      } from "static";
      import type { C } from 'type';
      import "effect";
      export { d } from "re-export";
      export type * from "re-export-type";
      export type E = import("in-type").E;
      export const f = await import("dynamic");
      export const g = await import(\`computed-\${a}\`);
      // import "comment";
      /* import "block"; */
      export const h = 'import "string"';
      export const i = /import "regex"/;
      import "static";
    `;
    const imports = scanImports("a.ts", source).map(String);
    expect(imports.toSorted()).toEqual(
      [
        "dynamic",
        "effect",
        "in-type",
        "null",
        "re-export",
        "re-export-type",
        "static",
        "type",
      ].toSorted(),
    );
  });

  it("throws on a file that it cannot parse, instead of finding nothing", () => {
    expect(() => scanImports("a.ts", "import {")).toThrow("a.ts does not parse");
  });
});

/** The layers that a layer's tsconfig.json refers to. */
function referencesOf(folder: string): readonly string[] {
  const config = [join(root, folder), join(root, folder, "..")]
    .map((at) => join(at, "tsconfig.json"))
    .find(existsSync);
  if (config === undefined) throw new Error(`${folder} has no tsconfig.json`);
  const { references = [] }: { readonly references?: readonly { readonly path: string }[] } =
    JSON.parse(readFileSync(config, "utf8"));
  return references.map(({ path }) => basename(path));
}

describe("the check of folders", () => {
  const inFolder = (folder: string, count: number, suffix = ".ts") =>
    Array.from({ length: count }, (_, index) => ({
      path: `${server}/${folder}/file-${index}${suffix}`,
      source: "",
    }));

  it("reports a folder with more than 20 files", () => {
    expect(crowdedFolders(inFolder("runtime", 20))).toEqual([]);
    expect(crowdedFolders(inFolder("runtime", 21))).toEqual([
      `${server}/runtime: 21 files; the maximum is 20`,
    ]);
  });

  it("counts neither tests nor migrations", () => {
    const tests = inFolder("runtime", 30, ".test.ts");
    const migrations = Array.from({ length: 30 }, (_, index) => ({
      path: `${server}/storage/migrations/00${index + 10}-step.ts`,
      source: "",
    }));
    expect(crowdedFolders([...tests, ...migrations])).toEqual([]);
  });

  it("finds an import cycle through types, and a longer one", () => {
    const file = (name: string, ...imports: readonly string[]) => ({
      path: `${server}/runtime/${name}.ts`,
      source: imports.map((target) => `import type { A } from "./${target}.ts";`).join("\n"),
    });
    expect(importCycles([file("a", "b"), file("b")])).toEqual([]);
    expect(importCycles([file("a", "b"), file("b", "a")])).toEqual([
      `${server}/runtime/a.ts ${server}/runtime/b.ts`,
    ]);
    expect(
      importCycles([file("a", "b"), file("b", "c"), file("c", "a"), file("d", "a")]),
    ).toHaveLength(1);
  });
});
