// Compiled and without its types it starts in a fraction of the time.
import { enableCompileCache } from "node:module";

enableCompileCache();
const { openToolServer } = await import("../tools/tool-server.ts");
const { closed } = await openToolServer(process.env, process);
await closed;
