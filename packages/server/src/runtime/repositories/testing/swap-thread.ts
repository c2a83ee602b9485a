import { renameSync } from "node:fs";
import { workerData } from "node:worker_threads";

/** Puts a link where a folder was and the folder back, as fast as it can, until the flag is up. */
const { place, link, aside, flag }: SwapData = workerData;
const stop = new Int32Array(flag);

export interface SwapData {
  readonly place: string;
  readonly link: string;
  readonly aside: string;
  readonly flag: SharedArrayBuffer;
}

while (Atomics.load(stop, 0) === 0) {
  renameSync(place, aside);
  renameSync(link, place);
  renameSync(place, link);
  renameSync(aside, place);
}
