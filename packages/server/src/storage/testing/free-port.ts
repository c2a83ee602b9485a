import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below those that a system gives away by itself: nobody gets one of these while its server is being started again. */
const [FIRST, AFTER_LAST] = [10_000, 32_000];

/** A port of this machine that nobody has now. */
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
