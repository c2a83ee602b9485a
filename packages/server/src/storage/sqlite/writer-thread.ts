import { parentPort, workerData } from "node:worker_threads";
import { openWriteBatches } from "./write-batches.ts";
import { OUTSIDE_WRITES, type WriteBatch, type WriterOptions } from "./writer.ts";

/** How often it is looked whether other processes have written. */
const LOOK_EVERY_MS = 1_000;

/** The one thread of a server that writes. */
const port = parentPort;
if (port === null) throw new Error("unreachable: the writer runs in a thread of its own");
const options: WriterOptions = workerData;
const batches = openWriteBatches(options);

const looking = setInterval(() => {
  batches.keepReserve();
  if (batches.hasOutsideWrites()) port.postMessage(OUTSIDE_WRITES);
}, LOOK_EVERY_MS);
looking.unref();

port.on("message", (message: WriteBatch | "close" | "fold") => {
  if (message === "fold") return batches.foldLog();
  if (message === "close") {
    clearInterval(looking);
    batches.close();
    port.close();
    return;
  }
  void batches.run(message).then((replies) => {
    port.postMessage(replies);
    batches.afterBatch();
  });
});
