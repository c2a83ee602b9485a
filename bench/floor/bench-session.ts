import {
  requestJson,
  openConnection,
  openEvents,
  type Connection,
  type EventReader,
} from "./raw-http.ts";
import type { Running } from "./contender.ts";

export interface BenchSession {
  readonly id: string;
  readonly connection: Connection;
  /** All received stamps of the agent's answers, in order. */
  readonly stamps: Stamp[];
  /** Sends a message. Resolves when its answer is complete. */
  send(text: string): Promise<SendResult>;
  /** Sends a message. Resolves when this many stamps have arrived. */
  sendUntil(text: string, stamps: number): Promise<void>;
  /** Resolves when this many stamps have arrived. */
  untilStamps(count: number): Promise<void>;
  close(): void;
}

export interface SendResult {
  readonly sentAt: bigint;
  /** When the agent read it, as it reports. */
  readonly readAt: bigint;
  /** When the client got the first piece of the answer. */
  readonly answeredAt: bigint;
  /** When the client knew that the answer is complete. */
  readonly endedAt: bigint;
  /** Time until the server acknowledged it. */
  readonly acknowledgedMs: number;
}

export interface Stamp {
  readonly number: number;
  readonly wroteAt: bigint;
  readonly gotAt: bigint;
}

/** Opens a session with a live, idle agent and one reading client. */
export async function openWarmSession(running: Running): Promise<BenchSession> {
  const session = await openSession(running, await createSession(running));
  await session.send("@stamp 1 0");
  session.stamps.length = 0;
  return session;
}

export async function createSession({ url, newSession }: Running): Promise<string> {
  const connection = await openConnection(url);
  const { id } = await requestJson<{ id: string }>(connection, {
    method: "POST",
    path: "/api/sessions",
    body: newSession,
  });
  connection.close();
  return id;
}

/** Also stops its agent, so that only measured agents are alive. */
export async function deleteSession({ url }: Running, id: string): Promise<void> {
  const connection = await openConnection(url);
  await requestJson(connection, { method: "DELETE", path: `/api/sessions/${id}` });
  connection.close();
}

export async function openSession(
  { url }: Running,
  id: string,
  { after = 0 }: { readonly after?: number } = {},
): Promise<BenchSession> {
  const connection = await openConnection(url);
  const stamps: Stamp[] = [];
  const watchers = new Set<() => void>();
  let ended = 0;
  let readAt = 0n;
  let answeredAt = 0n;
  let endedAt = 0n;
  const reader: EventReader = await openEvents(
    url,
    `/api/sessions/${id}/events?after=${after}`,
    splitEvents((event, gotAt) => {
      if (isEnd(event)) [ended, endedAt] = [ended + 1, gotAt];
      const toldAt = BigInt(/read:(\d+) /u.exec(event)?.[1] ?? readAt);
      if (toldAt !== readAt) [readAt, answeredAt] = [toldAt, gotAt];
      if (isOutput(event)) {
        for (const [, number, wroteAt] of event.matchAll(/(\d+):(\d{9,}) /gu)) {
          stamps.push({ number: Number(number), wroteAt: BigInt(wroteAt ?? 0), gotAt });
        }
      }
      for (const check of watchers) check();
    }),
  );
  const until = (isReached: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!isReached()) return;
        watchers.delete(check);
        resolve();
      };
      watchers.add(check);
      check();
    });
  const post = (text: string): Promise<unknown> => sendMessage(connection, id, text);
  return {
    id,
    connection,
    stamps,
    send: async (text) => {
      const before = ended;
      const sentAt = process.hrtime.bigint();
      const posted = post(text).then(() => Number(process.hrtime.bigint() - sentAt) / 1e6);
      const [acknowledgedMs] = await Promise.all([posted, until(() => ended > before)]);
      return { sentAt, readAt, answeredAt, endedAt, acknowledgedMs };
    },
    sendUntil: async (text, count) => {
      await Promise.all([post(text), until(() => stamps.length >= count)]);
    },
    untilStamps: (count) => until(() => stamps.length >= count),
    close: () => {
      reader.close();
      connection.close();
    },
  };
}

export function sendMessage(connection: Connection, id: string, text: string): Promise<unknown> {
  return requestJson(connection, {
    method: "POST",
    path: `/api/sessions/${id}/messages`,
    body: { text },
  });
}

/** The end of an answer: an entry of the floor, or a run of Holdfast. */
export function isEnd(event: string): boolean {
  return (
    /^event: end$/mu.test(event) || (/^event: run$/mu.test(event) && /"endedAt":"/u.test(event))
  );
}

/** New text of the agent. A complete message repeats its pieces, and a session the end of its last message. */
export function isOutput(event: string): boolean {
  if (/^event: delta$/mu.test(event)) return true;
  return /^event: message$/mu.test(event) && !event.includes('"complete":true');
}

function splitEvents(
  take: (event: string, gotAt: bigint) => void,
): (bytes: Buffer, gotAt: bigint) => void {
  let rest = "";
  return (bytes, gotAt) => {
    const events = (rest + bytes.toString("latin1")).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) take(event, gotAt);
  };
}
