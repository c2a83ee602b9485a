import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const AFTER_MS = 1_000;

/** What a start leaves to be done, a moment later, when hardly anybody is there yet: some 60 ms. */
export function tidyUpSoon(): void {
  setTimeout(() => {
    // Node does it at its end; whoever is killed has none.
    flushCompileCache();
    giveBackMemory();
  }, AFTER_MS).unref();
}

/** What was needed only to load the program, some 13 MB: V8 keeps it for a busy process that may want it again. */
function giveBackMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function")
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
