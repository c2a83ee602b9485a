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

/**
 * What a program imports, in a file of its own. In one file with the rest, the agent host and the keeper of networks, which run
 * beside the server, would take 20 MiB more memory each and start four times as slowly.
 */
function importsOf(name: keyof typeof PROGRAMS, priority: number): Rolldown.CodeSplittingGroup {
  const imports = new Set<string>();
  const add = (id: string, context: Rolldown.ChunkingContext): void => {
    if (imports.has(id)) return;
    imports.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) add(imported, context);
  };
  return {
    name: (id, context) => {
      add(path.join(import.meta.dirname, PROGRAMS[name]), context);
      return imports.has(id) ? `of-${name}` : null;
    },
    test: (id) => !NEEDED_BY_WRITER.test(id),
    minShareCount: 2,
    priority,
  };
}

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
            importsOf("host-program", 2),
            importsOf("keeper-program", 1),
            { name: "shared", minShareCount: 8, test: (id) => !NEEDED_BY_WRITER.test(id) },
          ],
        },
      },
    },
  },
});
