import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import path from "node:path";
import { build, defaultClientConditions } from "vite";

/** Builds the transcript alone, in the same way as the page. */
export async function buildPage(folder: string): Promise<void> {
  await build({
    root: path.join(import.meta.dirname, "page"),
    configFile: false,
    logLevel: "warn",
    plugins: [react(), tailwind()],
    resolve: { conditions: ["holdfast-source", ...defaultClientConditions] },
    worker: { format: "es" },
    build: { outDir: folder, emptyOutDir: true, target: "es2024", assetsInlineLimit: 0 },
  });
}
