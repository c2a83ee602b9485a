import path from "node:path";
import { defaultServerConditions, defineConfig, type Rolldown } from "vite";
import { LATE_MODULES } from "./build/late-modules.ts";
import { LAZY_LOADING } from "./build/lazy-loading.ts";

/** Each starts on its own: the command line, and what it starts beside itself. */
const PROGRAMS = {
  main: "src/cli/main.ts",
  "load-program": "src/cli/compiled/load-program.ts",
  "writer-thread": "src/storage/sqlite/writer-thread.ts",
  "damage-process": "src/storage/sqlite/damage/damage-process.ts",
  "demo-agent": "src/providers/demo/demo-agent.ts",
  relay: "src/providers/network/relay.ts",
  "host-program": "src/providers/host/host-program.ts",
  "keeper-program": "src/providers/network/keeper/keeper-program.ts",
};

const SOURCES = path.join(import.meta.dirname, "src");

/**
 * One file for each folder of the sources. A command loads those that it uses: with larger ones it would read much that it does
 * not need, and with a file for each module it would spend its time on finding them.
 */
const FOLDERS: Rolldown.CodeSplittingGroup = {
  name: (id, context) =>
    context.getModuleInfo(id)?.isEntry === true
      ? null
      : path.relative(SOURCES, path.dirname(id)).replaceAll(path.sep, "-"),
  // The doors stay with the libraries of their protocols.
  test: (id) => id.startsWith(SOURCES) && !id.startsWith(path.join(SOURCES, "doors")),
};

const ZOD: Rolldown.CodeSplittingGroup = { name: "zod", test: /node_modules.zod/u, priority: 1 };

/** The schemas of the protocol. Its other modules are small, and everything imports them. */
const SCHEMAS: Rolldown.CodeSplittingGroup = {
  name: (id, context) => {
    const imported = context.getModuleInfo(id)?.importedIds ?? [];
    const usesSchemas = /index\.ts$|checked-client|schema-validation/u.test(id);
    return usesSchemas || imported.some((name) => /node_modules.zod/u.test(name))
      ? "schemas"
      : null;
  },
  test: /packages.(?:protocol|client.src.(?:checked-client|schema-validation))/u,
};

/** Large libraries, or parts of them, that few commands need, or none. */
const LARGE: Rolldown.CodeSplittingGroup = {
  name: (id) =>
    /node_modules.(?:@fastify.)?(ajv|commander|fast-json-stringify|jsonc-parser|kysely|light-my-request|re2js)/u.exec(
      id,
    )?.[1] ?? null,
  test: /node_modules/u,
};

/** The files are in CommonJS, and the package is not. */
const PACKAGE_JSON: Rolldown.Plugin = {
  name: "package-json",
  generateBundle() {
    const source = `${JSON.stringify({ type: "commonjs" })}\n`;
    this.emitFile({ type: "asset", fileName: "package.json", source });
  },
};

/** The program in few files, of which a command loads those that it uses. */
export default defineConfig({
  ssr: {
    target: "node",
    noExternal: true,
    // Additions to pg and ws that few have; they work without them.
    external: ["pg-native", "bufferutil", "utf-8-validate"],
    resolve: { conditions: ["holdfast-source", ...defaultServerConditions] },
  },
  build: {
    ssr: true,
    outDir: "dist/program",
    emptyOutDir: true,
    copyPublicDir: false,
    minify: false,
    target: "node22",
    license: { fileName: "third-party-licenses.md" },
    rolldownOptions: {
      input: PROGRAMS,
      plugins: [PACKAGE_JSON, LATE_MODULES, LAZY_LOADING],
      output: {
        // Node loads it faster, and can load a file in the middle of a function.
        format: "cjs",
        // Node reads other texts more slowly, and comments in vain.
        charset: "ascii",
        comments: false,
        // All in one folder: they find each other beside themselves.
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [ZOD, SCHEMAS, LARGE, FOLDERS],
        },
      },
    },
  },
});
