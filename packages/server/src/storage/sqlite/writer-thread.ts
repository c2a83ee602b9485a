import { parentPort, workerData } from "node:worker_threads";
import { openWriteBatches } from "./write-batches.ts";
import type { WriteBatch, WriterOptions, WriterSignal } from "./write-protocol.ts";

const RESERVE_EVERY_MS = 1_000;

/** The writing thread of a server that is not idle. */
const port = parentPort;
if (port === null) throw new Error("unreachable: the writer runs in a thread of its own");
const options: WriterOptions = workerData;
const batches = openWriteBatches(options);

const timer = setInterval(batches.keepReserve, RESERVE_EVERY_MS).unref();

port.on("message", (message: WriteBatch | WriterSignal) => {
  if (message === "checkpoint") return batches.checkpoint();
  if (message === "close") {
    clearInterval(timer);
    batches.close();
    port.close();
    return;
  }
  void batches.run(message).then((replies) => {
    port.postMessage(replies);
    batches.afterBatch();
  });
});
