import { openToolServer } from "../tools/tool-server.ts";

const { closed } = await openToolServer(process.env, process);
await closed;
