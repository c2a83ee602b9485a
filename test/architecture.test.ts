import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { complaintsAbout, layersBelow } from "./architecture/complaints.ts";
import { circles, crowdedFolders } from "./architecture/folders.ts";
import { layers } from "./architecture/layers.ts";
import { readSources, root } from "./architecture/read-sources.ts";
import { scanImports } from "./architecture/scan-imports.ts";

const server = "packages/server/src";

describe("the architecture", () => {
  it("holds in every source file", () => {
    expect(complaintsAbout(readSources())).toEqual([]);
  });

  it("keeps folders small", () => {
    expect(crowdedFolders(readSources())).toEqual([]);
  });

  it("has no circle of files, not even of types", () => {
    expect(circles(readSources())).toEqual([]);
  });

  it("has a row for every layer and package there is", () => {
    const named = layers.map(({ folder }) => folder);
    const packages = readdirSync(join(root, "packages")).filter((name) => name !== "server");
    const found = [
      ...readdirSync(join(root, server)).map((name) => `${server}/${name}`),
      ...packages.map((name) => `packages/${name}/src`),
    ];
    expect(found.filter((folder) => !named.includes(folder))).toEqual([]);
  });

  it("points down only: no layer stands on itself", () => {
    expect(layers.filter((layer) => layersBelow(layer).includes(layer))).toEqual([]);
  });

  const present = layers.filter(({ folder }) => existsSync(join(root, folder)));
  it.each(present)("gives the compiler the same row for $name", ({ folder, imports }) => {
    expect(referencesOf(folder).toSorted()).toEqual(imports.toSorted());
  });
});

describe("a source file draws a complaint when", () => {
  const cases: readonly {
    readonly it: string;
    readonly path: string;
    readonly source: string;
    readonly complaint: string;
  }[] = [
    {
      it: "it imports a layer above its own",
      path: `${server}/domain/session.ts`,
      source: 'import { openStore } from "../storage/store.ts";',
      complaint: "domain may not import storage (../storage/store.ts)",
    },
    {
      it: "it imports only a type from a layer above",
      path: `${server}/runtime/driver.ts`,
      source: 'import type {\n  Route,\n} from "../http/route.ts";',
      complaint: "runtime may not import http (../http/route.ts)",
    },
    {
      it: "it re-exports from a layer above",
      path: `${server}/storage/store.ts`,
      source: 'export * from "../runtime/hub.ts";',
      complaint: "storage may not import runtime (../runtime/hub.ts)",
    },
    {
      it: "it names a layer above in a type",
      path: `${server}/domain/session.ts`,
      source: 'export type Row = import("../storage/tables.ts").Row;',
      complaint: "domain may not import storage (../storage/tables.ts)",
    },
    {
      it: "it loads a layer above later",
      path: `${server}/providers/demo/agent.ts`,
      source: 'export const load = () => import("../../cli/serve.ts");',
      complaint: "providers may not import cli (../../cli/serve.ts)",
    },
    {
      it: "a route skips the runtime and reads the store",
      path: `${server}/http/routes/sessions.ts`,
      source: 'import { openStore } from "../../storage/store.ts";',
      complaint: "http may not import storage (../../storage/store.ts)",
    },
    {
      it: "a route skips the runtime and speaks to a provider",
      path: `${server}/http/routes/providers.ts`,
      source: 'import { acp } from "../../providers/acp/agent.ts";',
      complaint: "http may not import providers (../../providers/acp/agent.ts)",
    },
    {
      it: "storage and providers know each other",
      path: `${server}/storage/store.ts`,
      source: 'import "../providers/provider.ts";',
      complaint: "storage may not import providers (../providers/provider.ts)",
    },
    {
      it: "the domain knows the wire",
      path: `${server}/domain/session.ts`,
      source: 'import { Session } from "@holdfast/protocol";',
      complaint: "domain may not import protocol (@holdfast/protocol)",
    },
    {
      it: "the web page imports the server by path",
      path: "packages/web/src/app.tsx",
      source: 'import { decide } from "../../server/src/domain/kernel/decide.ts";',
      complaint: "web may not import domain (../../server/src/domain/kernel/decide.ts)",
    },
    {
      it: "the web page imports the server by name",
      path: "packages/web/src/app.tsx",
      source: 'import "holdfast";',
      complaint: "web may not use the npm package holdfast",
    },
    {
      it: "it reaches into another package by path",
      path: "packages/client/src/index.ts",
      source: 'export * from "../../protocol/src/session.ts";',
      complaint:
        "../../protocol/src/session.ts reaches into another package: import it by its name",
    },
    {
      it: "it imports what is in no layer",
      path: `${server}/cli/version.ts`,
      source: 'import manifest from "../../package.json" with { type: "json" };',
      complaint: "../../package.json is in no layer",
    },
    {
      it: "it uses an npm package that its row does not name",
      path: `${server}/storage/store.ts`,
      source: 'import { z } from "zod/v4";',
      complaint: "storage may not use the npm package zod",
    },
    {
      it: "it uses a scoped npm package that its row does not name",
      path: `${server}/runtime/driver.ts`,
      source: 'import { client } from "@agentclientprotocol/sdk/client";',
      complaint: "runtime may not use the npm package @agentclientprotocol/sdk",
    },
    {
      it: "it computes the name of a module",
      path: `${server}/storage/migrate.ts`,
      source: "export const load = (name: string) => import(`./${name}.ts`);",
      complaint: "imports a module by a computed name, which nobody can check",
    },
    ...["domain", "protocol", "client", "web"].map((name) => ({
      it: `Node appears in ${name}`,
      path: `${layers.find((layer) => layer.name === name)?.folder}/clock.ts`,
      source: 'import { readFileSync } from "node:fs";',
      complaint: `${name} may not import node:fs`,
    })),
    {
      it: "production code uses what is for tests",
      path: `${server}/storage/store.ts`,
      source: 'import { openTestStore } from "./testing/open-test-store.ts";',
      complaint: "./testing/open-test-store.ts is for tests only",
    },
    {
      it: "production code uses the test runner",
      path: `${server}/domain/session.ts`,
      source: 'import { expect } from "vitest";',
      complaint: "domain may not use the npm package vitest",
    },
    {
      it: "a test reaches above its layer",
      path: `${server}/storage/store.test.ts`,
      source: 'import { serve } from "../http/serve.ts";',
      complaint: "storage may not import http (../http/serve.ts)",
    },
    {
      it: "there is an index.ts inside a package",
      path: `${server}/storage/index.ts`,
      source: "export {};",
      complaint: "index.ts belongs at a package's door only",
    },
    {
      it: "a file name is not kebab-case",
      path: `${server}/storage/eventLog.ts`,
      source: "export {};",
      complaint: "eventLog.ts is not kebab-case",
    },
    {
      it: "a folder name is not kebab-case",
      path: "test/end_to_end/serve.test.ts",
      source: "export {};",
      complaint: "end_to_end/ is not kebab-case",
    },
    {
      it: "a file has more than 400 lines",
      path: "scripts/start.mjs",
      source: "start();\n".repeat(401),
      complaint: "401 lines, 400 are the most",
    },
    ...["utils", "helpers", "common", "services", "managers", "core", "impl"].map((folder) => ({
      it: `its folder is called ${folder}`,
      path: `${server}/runtime/${folder}/queue.ts`,
      source: "export {};",
      complaint: `${folder}/ says nothing: name the folder for its concept`,
    })),
  ];

  it.each(cases)("$it", ({ path, source, complaint }) => {
    expect(complaintsAbout([{ path, source }])).toEqual([`${path}: ${complaint}`]);
  });
});

describe("a source file draws no complaint when", () => {
  it.each([
    ["it imports the layer below", `${server}/http/app.ts`, 'import "../runtime/hub.ts";'],
    ["it imports its own layer", `${server}/domain/a.ts`, 'import "./b.ts";'],
    ["its row names the package", `${server}/http/app.ts`, 'import fastify from "fastify";'],
    ["its row names the workspace", "packages/web/src/app.tsx", 'import "@holdfast/client";'],
    ["a test uses the runner", `${server}/domain/a.test.ts`, 'import "vitest"; import "node:fs";'],
    ["a test reaches far below", `${server}/http/a.test.ts`, 'import "../storage/store.ts";'],
    ["a test's tool reaches below", `${server}/http/testing/a.ts`, 'import "kysely";'],
    ["an import is only spoken of", `${server}/domain/a.ts`, '// import "node:fs"\nexport {};'],
    ["it has exactly 400 lines", "scripts/start.mjs", "start();\n".repeat(400)],
  ])("%s", (_, path, source) => {
    expect(complaintsAbout([{ path, source }])).toEqual([]);
  });
});

describe("the import scanner", () => {
  it("sees every form of import once, and nothing in comments and strings", () => {
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
    const found = scanImports("a.ts", source).map(String);
    expect(found.toSorted()).toEqual(
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

  it("refuses a file that it cannot read, instead of finding nothing in it", () => {
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

describe("the guard over folders", () => {
  const inFolder = (folder: string, count: number, suffix = ".ts") =>
    Array.from({ length: count }, (_, index) => ({
      path: `${server}/${folder}/file-${index}${suffix}`,
      source: "",
    }));

  it("complains about a folder with more than 20 files", () => {
    expect(crowdedFolders(inFolder("runtime", 20))).toEqual([]);
    expect(crowdedFolders(inFolder("runtime", 21))).toEqual([
      `${server}/runtime: 21 files, 20 are the most`,
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

  it("finds a circle that only types close, and a longer one", () => {
    const file = (name: string, ...imports: readonly string[]) => ({
      path: `${server}/runtime/${name}.ts`,
      source: imports.map((target) => `import type { A } from "./${target}.ts";`).join("\n"),
    });
    expect(circles([file("a", "b"), file("b")])).toEqual([]);
    expect(circles([file("a", "b"), file("b", "a")])).toEqual([
      `${server}/runtime/a.ts ${server}/runtime/b.ts`,
    ]);
    expect(circles([file("a", "b"), file("b", "c"), file("c", "a"), file("d", "a")])).toHaveLength(
      1,
    );
  });
});
