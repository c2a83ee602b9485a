import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that the system assigns, so that no other process gets the port during a restart. */
const [FIRST, AFTER_LAST] = [10_000, 32_000];

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, AFTER_LAST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
