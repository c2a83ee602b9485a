import { defaultServerConditions, defineConfig } from "vite";

/** Each starts on its own: the command line, and what it starts beside itself. */
const PROGRAMS = {
  main: "src/cli/main.ts",
  "writer-thread": "src/storage/sqlite/writer-thread.ts",
  "demo-agent": "src/providers/demo/demo-agent.ts",
};

/** The program in few files: a command that has to find and read hundreds of them starts three times as slowly. */
export default defineConfig({
  ssr: {
    target: "node",
    noExternal: true,
    // An addition to pg that few have; pg asks for it only where somebody wants it.
    external: ["pg-native"],
    resolve: { conditions: ["holdfast-source", ...defaultServerConditions] },
  },
  build: {
    ssr: true,
    outDir: "dist/program",
    emptyOutDir: true,
    copyPublicDir: false,
    minify: false,
    target: "node22",
    rolldownOptions: {
      input: PROGRAMS,
      // All in one folder: they find each other beside themselves.
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
    },
  },
});
