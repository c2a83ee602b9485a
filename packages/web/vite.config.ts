import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  // Workspace packages come from their sources, so that this build does not wait for theirs.
  resolve: { conditions: ["holdfast-source", ...defaultClientConditions] },
  build: {
    outDir: "../server/dist/web",
    emptyOutDir: true,
    // The page's security policy allows no data: URLs.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/healthz", "/readyz", "/openapi.json"].map((path) => [
        path,
        "http://127.0.0.1:4664",
      ]),
    ),
  },
});
