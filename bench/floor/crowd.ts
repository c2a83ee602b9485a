/** Many clients of one session, in a process of their own. Says when all are there, and when all have the agent's last word. */
import { openEvents } from "./raw-http.ts";

interface Crowd {
  readonly url: string;
  readonly id: string;
  readonly clients: number;
  readonly updates: number;
}

const AT_ONCE = 50;
const LAST = Buffer.from("all-said");

const { url, id, clients, updates }: Crowd = JSON.parse(process.argv[2] ?? "{}");
const done = Array.from({ length: clients }, () => Promise.withResolvers<void>());

for (let first = 0; first < clients; first += AT_ONCE) {
  await Promise.all(done.slice(first, first + AT_ONCE).map(({ resolve }) => join(resolve)));
}
process.send?.("there");
await Promise.all(done.map(({ promise }) => promise));
process.send?.("done", () => process.exit(0));

/** Counts what comes; the last word and a count that is too small means that something was lost. */
async function join(resolve: () => void): Promise<void> {
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
