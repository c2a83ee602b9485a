import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";

const ROOT = path.resolve(import.meta.dirname, "../..");
const FOLDER = path.join(ROOT, ".cache", "test-programs");

/** A program that tests start often. */
interface TestProgram {
  readonly entry: string;
  /** The end of the path of the module that starts it. */
  readonly startedBy: string;
  /** The expression in that module, and what takes its place. */
  readonly expression: string;
  readonly replacement: (bundle: string) => string;
}

const PROGRAMS: readonly TestProgram[] = [
  {
    entry: "writer-thread.ts",
    startedBy: "/sqlite/writer.ts",
    expression: "new URL(`./writer-thread.${extension}`, import.meta.url)",
    replacement: (bundle) => `new URL(${JSON.stringify(pathToFileURL(bundle).href)})`,
  },
  {
    entry: "scripted-agent.ts",
    startedBy: "/testing/scripted-provider.ts",
    expression: 'path.join(import.meta.dirname, "scripted-entry.mjs")',
    replacement: (bundle) => JSON.stringify(bundle),
  },
  {
    entry: "migrate-process.ts",
    startedBy: "/testing/start-migration.ts",
    expression: 'path.join(import.meta.dirname, "migrate-process.ts")',
    replacement: (bundle) => JSON.stringify(bundle),
  },
];

/**
 * Tests run these programs from one file each, as users run the built server: loading their modules one by one takes
 * longer than most tests. A bundle is built when a test first loads the module that starts the program.
 */
export function testPrograms(): Plugin {
  const bundles = new Map<TestProgram, Promise<string>>();
  const programOf = (id: string): TestProgram | undefined =>
    PROGRAMS.find(({ startedBy }) => id.endsWith(startedBy));
  return {
    name: "holdfast:test-programs",
    // A bundle changes with its sources, so a cached transform must not be used.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (programOf(id) === undefined ? null : false)),
    async transform(code, id) {
      const program = programOf(id);
      if (program === undefined) return null;
      const { entry, expression, replacement } = program;
      if (!code.includes(expression)) throw new Error(`${id} does not start ${entry} as expected`);
      const file = bundles.get(program) ?? bundle(path.join(path.dirname(id), entry));
      bundles.set(program, file);
      return { code: code.replace(expression, replacement(await file)), map: null };
    },
  };
}

async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    root: ROOT,
    logLevel: "error",
    resolve: { conditions: ["holdfast-source"] },
    ssr: { target: "node", noExternal: true },
    build: {
      ssr: entry,
      write: false,
      minify: false,
      target: "node22",
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  if (Array.isArray(result) || !("output" in result)) throw new Error("unreachable: one output");
  const [{ code }] = result.output;
  const file = path.join(FOLDER, `${path.basename(entry, ".ts")}.js`);
  if (read(file) !== code) {
    mkdirSync(FOLDER, { recursive: true });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, code);
    renameSync(draft, file);
  }
  return file;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
