// Starts the agent compiled and without its types: tests start it by the hundred.
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("./witness-agent.ts");
