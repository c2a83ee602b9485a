import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";

/** Paths served by the server itself, never by the page or a cache. */
const SERVER_PATHS = ["/api", "/docs", "/healthz", "/metrics", "/openapi.json", "/readyz"] as const;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** Quality 10 and 11 take many times as long and save a few bytes. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
/** Files of the page without a hash in their name that the service worker caches. */
const CACHED_FILES = [
  "index.html",
  "before.js",
  "favicon.svg",
  "favicon-waiting.svg",
  "icon-192.png",
  "icon-512.png",
  "manifest.webmanifest",
];

export default defineConfig({
  plugins: [
    react(),
    tailwind(),
    withoutInsertedStyles(),
    lexerOfMarkedOnly(),
    plotsInEnglish(),
    serviceWorker(),
    compressed(),
  ],
  // Workspace packages are built from their sources, so that this build does not depend on theirs.
  resolve: { conditions: ["holdfast-source", ...defaultClientConditions] },
  worker: { format: "es" },
  build: {
    outDir: "../server/dist/web",
    emptyOutDir: true,
    target: "es2024",
    license: { fileName: "third-party-licenses.md" },
    // The page's security policy forbids data: URLs.
    assetsInlineLimit: 0,
    // Modules that many chunks share are one file: else the list starts with twice as many files. The list starts without
    // those of requests and tool calls.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: "base", minShareCount: 6, test: isForTheStart }] },
      },
    },
    modulePreload: {
      // All target browsers support module preload.
      polyfill: false,
      // No modulepreload links in index.html: Chromium warns about each one when the service worker serves the page.
      resolveDependencies: (_name, dependencies, { hostType }) =>
        hostType === "html" ? [] : dependencies,
    },
  },
  server: {
    proxy: Object.fromEntries(SERVER_PATHS.map((path) => [path, "http://127.0.0.1:4664"])),
  },
});

/** Style sheets are not shared, either: one that comes before the page's own changes the order of the layers. */
function isForTheStart(file: string): boolean {
  return (
    !/\/(?:@radix-ui|approvals|diff|forms|markdown|tools)\//u.test(file) && !file.endsWith(".css")
  );
}

/** Writes sw.js with the list of files that it caches: the entry, the pages and the list beside them, without later chunks such as grammars. */
function serviceWorker(): Plugin {
  const source = path.join(import.meta.dirname, "service-worker.js");
  const assets = new Set<string>();
  let folder = "";
  return {
    name: "service-worker",
    apply: "build",
    configResolved: ({ root, build }) => {
      folder = path.resolve(root, build.outDir);
    },
    generateBundle(_options, bundle) {
      const add = (name: string): void => {
        const chunk = bundle[name];
        if (assets.has(name) || chunk?.type !== "chunk") return;
        assets.add(name);
        for (const style of chunk.viteMetadata?.importedCss ?? []) assets.add(style);
        for (const other of chunk.imports) add(other);
      };
      for (const chunk of Object.values(bundle))
        if (chunk.type === "chunk" && (chunk.isEntry || /-(?:page|column)$/u.test(chunk.name)))
          add(chunk.fileName);
    },
    async writeBundle() {
      const files = await Promise.all(
        [...CACHED_FILES, ...[...assets].toSorted()].map(async (url) => {
          const content = await readFile(path.join(folder, url));
          return { url, revision: createHash("sha256").update(content).digest("hex").slice(0, 16) };
        }),
      );
      const code = (await readFile(source, "utf8"))
        .replace("const FILES = [];", `const FILES = ${JSON.stringify(files)};`)
        .replace(
          "const SERVER_PATHS = [];",
          `const SERVER_PATHS = ${JSON.stringify(SERVER_PATHS)};`,
        );
      await writeFile(path.join(folder, "sw.js"), code);
    },
  };
}

/** Writes a Brotli and a gzip version beside each file. */
function compressed(): Plugin {
  let folder = "";
  return {
    name: "compressed",
    enforce: "post",
    apply: "build",
    configResolved: ({ root, build }) => {
      folder = path.resolve(root, build.outDir);
    },
    closeBundle: {
      sequential: true,
      order: "post",
      async handler() {
        const files = await readdir(folder, { recursive: true });
        const texts = files.filter((name) => /\.(?:js|css|html|svg|webmanifest)$/u.test(name));
        await Promise.all(
          texts.map(async (name) => {
            const file = path.join(folder, name);
            const content = await readFile(file);
            await writeFile(`${file}.br`, await brotli(content, BROTLI));
            await writeFile(`${file}.gz`, await zip(content, { level: 9 }));
          }),
        );
      },
    },
  };
}

/** The page's security policy allows styles only from files, so sonner's styles are imported from its file. */
function withoutInsertedStyles(): Plugin {
  return {
    name: "without-inserted-styles",
    transform: {
      filter: { id: /[/\\]sonner[/\\]dist[/\\]index\.mjs$/u },
      handler(code) {
        const stripped = code.replace(/^__insertCSS\(".*"\);$/mu, "");
        if (stripped === code)
          this.error("sonner no longer inserts its styles in the expected place");
        return { code: stripped, map: null };
      },
    },
  };
}

/** Keeps only the lexer of marked: the page does not use its HTML renderer. */
function lexerOfMarkedOnly(): Plugin {
  return {
    name: "lexer-of-marked-only",
    transform: {
      filter: { id: /[/\\]marked[/\\]lib[/\\]marked\.esm\.js$/u },
      handler(code) {
        const instance = code.search(
          /var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\(/u,
        );
        const lexer = /[{,](?<name>\w+) as Lexer\b/u.exec(code)?.groups?.["name"];
        const tokenizer = /[{,](?<name>\w+) as Tokenizer\b/u.exec(code)?.groups?.["name"];
        if (instance === -1 || lexer === undefined || tokenizer === undefined)
          this.error("the build of marked has changed");
        const exports = `export{${lexer} as Lexer,${tokenizer} as Tokenizer};`;
        return { code: `${code.slice(0, instance)}${exports}`, map: null };
      },
    },
  };
}

/** uPlot uses the browser's language and throws for an invalid tag such as "en-US@posix"; the page is in English. */
function plotsInEnglish(): Plugin {
  return {
    name: "plots-in-english",
    transform: {
      filter: { id: /[/\\]uplot[/\\]dist[/\\]uPlot\.esm\.js$/u },
      handler(code) {
        const english = code.replace("domEnv ? nav.language : 'en-US'", "'en'");
        if (english === code) this.error("uPlot no longer uses the language in the expected place");
        return { code: english, map: null };
      },
    },
  };
}
