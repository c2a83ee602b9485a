// Starts the agent with a compile cache, because tests start it hundreds of times.
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("./witness-agent.ts");
