/** Many clients of one session in a separate process. Reports when all are connected, and when all have the last update. */
import { openEvents } from "./raw-http.ts";

interface Crowd {
  readonly url: string;
  readonly id: string;
  readonly clients: number;
  readonly updates: number;
}

const BATCH = 50;
const LAST = Buffer.from("all-sent");

const { url, id, clients, updates }: Crowd = JSON.parse(process.argv[2] ?? "{}");
const done = Array.from({ length: clients }, () => Promise.withResolvers<void>());

for (let first = 0; first < clients; first += BATCH) {
  await Promise.all(done.slice(first, first + BATCH).map(({ resolve }) => openClient(resolve)));
}
process.send?.("connected");
await Promise.all(done.map(({ promise }) => promise));
process.send?.("done", () => process.exit(0));

/** Counts the updates. If the count is too small at the last update, something was lost. */
async function openClient(resolve: () => void): Promise<void> {
  let tail: Buffer = Buffer.alloc(0);
  let got = 0;
  await openEvents(url, `/api/sessions/${id}/events`, (bytes) => {
    for (let at = bytes.indexOf("~"); at !== -1; at = bytes.indexOf("~", at + 1)) got += 1;
    const end = tail.length === 0 ? bytes : Buffer.concat([tail, bytes]);
    if (end.indexOf(LAST) === -1) {
      tail = bytes.subarray(-LAST.length);
      return;
    }
    if (got < updates) throw new Error(`a client got ${got} of ${updates} updates`);
    resolve();
  });
}
