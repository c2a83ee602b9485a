import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";

const ROOT = path.resolve(import.meta.dirname, "../..");
const FOLDER = path.join(ROOT, ".cache", "test-programs");
const THREAD = "new URL(`./writer-thread.${extension}`, import.meta.url)";

/**
 * Tests run the writing thread of SQLite stores from one file, as the built server does. From sources each thread
 * would load hundreds of modules, which takes longer than most tests. The bundle is built when a test first loads
 * the store.
 */
export function writerBundle(): Plugin {
  let bundleFile: Promise<string> | null = null;
  return {
    name: "holdfast:writer-bundle",
    // The bundle changes with its sources, so a cached transform must not be used.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (isWriter(id) ? false : null)),
    async transform(code, id) {
      if (!isWriter(id)) return null;
      if (!code.includes(THREAD)) throw new Error(`${id} does not start its thread as expected`);
      bundleFile ??= bundle(path.join(path.dirname(id), "writer-thread.ts"));
      const url = pathToFileURL(await bundleFile).href;
      return { code: code.replace(THREAD, `new URL(${JSON.stringify(url)})`), map: null };
    },
  };
}

function isWriter(id: string): boolean {
  return id.endsWith("/sqlite/writer.ts");
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
  const file = path.join(FOLDER, "writer-thread.js");
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
