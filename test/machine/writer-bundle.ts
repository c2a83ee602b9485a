import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";

const ROOT = path.resolve(import.meta.dirname, "../..");
const FOLDER = path.join(ROOT, ".cache", "test-programs");
const THREAD = "new URL(`./writer-thread.${extension}`, import.meta.url)";

/**
 * SQLite stores in tests run their writing thread from one file, as the built server does. From its sources each
 * thread would load hundreds of modules, which takes longer than most tests. The bundle is made when a test first
 * loads the store.
 */
export function writerBundle(): Plugin {
  let bundled: Promise<string> | null = null;
  return {
    name: "holdfast:writer-bundle",
    // The bundle follows its sources; a transform from an earlier run must not be used.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (isWriter(id) ? false : null)),
    async transform(code, id) {
      if (!isWriter(id)) return null;
      if (!code.includes(THREAD)) throw new Error(`${id} starts its thread in another way`);
      bundled ??= bundle(path.join(path.dirname(id), "writer-thread.ts"));
      const url = pathToFileURL(await bundled).href;
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
