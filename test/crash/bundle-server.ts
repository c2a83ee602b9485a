import path from "node:path";
import { build } from "vite";

const SERVER = path.resolve(import.meta.dirname, "../../packages/server");

/** Bundles the server under test into few files, as it is published, because a crash run starts it thousands of times. */
export async function bundleServer(): Promise<string> {
  const folder = path.join(SERVER, "dist", `crash-${process.pid}`);
  await build({
    root: SERVER,
    configFile: path.join(SERVER, "vite.config.ts"),
    logLevel: "warn",
    build: {
      outDir: folder,
      rolldownOptions: {
        input: { "crash-server": path.join(import.meta.dirname, "crash-server.ts") },
      },
    },
  });
  return path.join(folder, "crash-server.js");
}
