// Tests start this agent by the hundred: compiled and without its types it starts in a fifth of the time.
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("./scripted-agent.ts");
