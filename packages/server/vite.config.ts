import path from "node:path";
import { defaultServerConditions, defineConfig, type Rolldown } from "vite";

/** Each starts on its own: the command line, and what it starts beside itself. */
const PROGRAMS = {
  main: "src/cli/main.ts",
  "writer-thread": "src/storage/sqlite/writer-thread.ts",
  "damage-process": "src/storage/sqlite/damage/damage-process.ts",
  "demo-agent": "src/providers/demo/demo-agent.ts",
  relay: "src/providers/network/relay.ts",
  "host-program": "src/providers/host/host-program.ts",
  "keeper-program": "src/providers/network/keeper/keeper-program.ts",
};

/** The writer thread loads these. In one file with the rest of the program, they would take 15 MiB more memory. */
const NEEDED_BY_WRITER = /kysely|server.src.(?:storage|domain)/u;

/** Programs that must start quickly. */
const QUICK_PROGRAMS = {
  main: PROGRAMS.main,
  host: PROGRAMS["host-program"],
  keeper: PROGRAMS["keeper-program"],
};

/** Commands that must start quickly. The program `main` is loaded before them. */
const QUICK_COMMANDS = {
  acp: "src/cli/doors/acp-command.ts",
  mcp: "src/cli/doors/mcp-command.ts",
  tools: "src/cli/tools/tool-server.ts",
};

/** Stays where it is used: large libraries, and the doors, which import one. */
const LARGE = /node_modules.(?!commander|uuid)|server.src.doors/u;

/**
 * Modules that the same ones of these import are in one file, apart from those of all other commands. In one file with the rest,
 * the agent host and the keeper of networks, which run beside the server, would take 20 MiB more memory each and start four
 * times as slowly; `holdfast acp` would start twice as slowly.
 */
function quickStarts(): Rolldown.CodeSplittingGroup {
  const importedBy = new Map<string, Set<string>>();
  const find = (name: string, id: string, context: Rolldown.ChunkingContext): void => {
    const names = importedBy.get(id) ?? new Set();
    importedBy.set(id, names);
    if (names.has(name)) return;
    names.add(name);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? [])
      find(name, imported, context);
  };
  const findAll = (context: Rolldown.ChunkingContext): void => {
    for (const [name, file] of Object.entries({ ...QUICK_PROGRAMS, ...QUICK_COMMANDS }))
      find(name, path.join(import.meta.dirname, file), context);
  };
  return {
    name: (id, context) => {
      if (importedBy.size === 0) findAll(context);
      const names = [...(importedBy.get(id) ?? [])];
      const users = names.includes("main") ? names.filter((name) => name in QUICK_PROGRAMS) : names;
      return users.length === 0 ? null : `of-${users.join("-")}`;
    },
    test: (id) => !NEEDED_BY_WRITER.test(id) && !LARGE.test(id),
    minShareCount: 2,
    priority: 1,
  };
}

const ZOD = /node_modules.zod/u;

/** The schemas of the protocol take 30 ms to create. Its other modules are small, and everything imports them. */
const SCHEMAS: Rolldown.CodeSplittingGroup = {
  name: (id, context) => {
    const imported = context.getModuleInfo(id)?.importedIds ?? [];
    const usesSchemas = /index\.ts$|checked-client|schema-validation/u.test(id);
    return usesSchemas || imported.some((name) => ZOD.test(name)) ? "schemas" : null;
  },
  test: /packages.(?:protocol|client.src.(?:checked-client|schema-validation))/u,
  priority: 2,
};

/** The program in few files: a command that has to find and read hundreds of them starts three times as slowly. */
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
      // All in one folder: they find each other beside themselves.
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        codeSplitting: {
          includeDependenciesRecursively: false,
          // What most commands load anyway, in one file: 5 % less time for each command.
          groups: [
            { name: "zod", test: ZOD, priority: 2 },
            SCHEMAS,
            quickStarts(),
            { name: "shared", minShareCount: 8, test: (id) => !NEEDED_BY_WRITER.test(id) },
          ],
        },
      },
    },
  },
});
