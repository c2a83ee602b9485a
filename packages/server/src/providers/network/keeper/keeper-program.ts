/**
 * Keeps the networks of sandboxed agents open. It gets its orders from the server through its input, and goes on after the
 * server has ended, until the last agent has exited.
 */
import { createInterface } from "node:readline";
import { createKeeper } from "./keeper.ts";
import type { KeeperOrder } from "./keeper-protocol.ts";

const keeper = createKeeper({
  reply: (reply) => void process.stdout.write(`${JSON.stringify(reply)}\n`),
  onDone: () => process.exit(0),
});
process.stdout.on("error", () => {});
for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"] as const) process.on(name, () => {});
// A connection that breaks must not end the networks of other agents.
process.on("uncaughtException", () => {});

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server that started this process wrote it
  keeper.obey(JSON.parse(line) as KeeperOrder);
});
lines.on("close", () => keeper.loseServer());
