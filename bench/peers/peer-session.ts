import { setTimeout as pause } from "node:timers/promises";
import type { FirstRequest } from "../floor/contender.ts";
import { openConnection, openEvents, type Connection } from "../floor/raw-http.ts";
import type { Stamp } from "../floor/bench-session.ts";
import type { PeerServer } from "./peer.ts";

/** One reading client of a session. */
export interface PeerSession {
  readonly id: string;
  /** All received stamps of the agent, in order. */
  readonly stamps: Stamp[];
  /** Sends a message. Resolves when its turn has ended. */
  turn(text: string): Promise<Turn>;
  /** Sends a message without waiting for anything but its acknowledgement. */
  send(text: string): Promise<void>;
  /** Resolves with the time of the first look at which it holds. */
  until(isReached: () => boolean): Promise<void>;
  close(): void;
}

export interface Turn {
  readonly sentAt: bigint;
  /** When the agent or its model read the message, as it reports. */
  readonly readAt: bigint;
  readonly endedAt: bigint;
}

const WITHIN_MS = 60_000;
const RETRY_MS = 5;

export async function openPeerSession(server: PeerServer, id: string): Promise<PeerSession> {
  const { url, headers } = server;
  const connection = await openConnection(url);
  const stamps: Stamp[] = [];
  const watchers = new Set<() => void>();
  let [ended, endedAt, readAt] = [0, 0n, 0n];
  const take = (event: string, gotAt: bigint): void => {
    const seen = server.read(event, id);
    if (seen === "end") [ended, endedAt] = [ended + 1, gotAt];
    if (seen === "text") {
      readAt = BigInt(/read:(\d+) /u.exec(event)?.[1] ?? readAt);
      for (const { number, wroteAt } of stampsIn(event)) stamps.push({ number, wroteAt, gotAt });
    }
    for (const check of watchers) check();
  };
  const reader = await openEvents(url, server.events(id), splitEvents(take), headers);
  const until = async (isReached: () => boolean): Promise<void> => {
    const reached = Promise.withResolvers<void>();
    const late = setTimeout(
      () => reached.reject(new Error(`nothing came within ${WITHIN_MS} ms`)),
      WITHIN_MS,
    );
    const check = (): void => {
      if (isReached()) reached.resolve();
    };
    watchers.add(check);
    check();
    try {
      await reached.promise;
    } finally {
      clearTimeout(late);
      watchers.delete(check);
    }
  };
  const send = (text: string): Promise<void> => untilAccepted(connection, server.message(id, text));
  return {
    id,
    stamps,
    send,
    until,
    turn: async (text) => {
      const before = ended;
      const sentAt = process.hrtime.bigint();
      await Promise.all([send(text), until(() => ended > before)]);
      return { sentAt, readAt, endedAt };
    },
    close: () => {
      reader.close();
      connection.close();
    },
  };
}

/** A session with a live, idle agent that has answered before. */
export async function openWarmPeerSession(server: PeerServer): Promise<PeerSession> {
  const session = await openPeerSession(server, await server.open());
  await session.turn("@stamp 1 0");
  session.stamps.length = 0;
  return session;
}

/** A program that has just started may have to find its agent first. */
async function untilAccepted(
  connection: Connection,
  { method, path, body, headers }: FirstRequest,
): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const reply = await connection.request(method, path, body, headers);
    if (reply.status < 300) return;
    if (performance.now() > deadline) {
      throw new Error(`${method} ${path}: ${reply.status} ${reply.body.toString()}`);
    }
    await pause(RETRY_MS);
  }
}

/** The numbered pieces of the agent in any text. */
export function stampsIn(text: string): readonly Omit<Stamp, "gotAt">[] {
  return [...text.matchAll(/(\d+):(\d{9,}) /gu)].map(([, number, wroteAt]) => ({
    number: Number(number),
    wroteAt: BigInt(wroteAt ?? 0),
  }));
}

export function splitEvents(
  take: (event: string, gotAt: bigint) => void,
): (bytes: Buffer, gotAt: bigint) => void {
  const unwrap = createUnwrapper();
  let rest = "";
  return (bytes, gotAt) => {
    const events = (rest + unwrap(bytes.toString("latin1"))).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) take(event, gotAt);
  };
}

/** Removes the frames of a chunked reply. */
function createUnwrapper(): (text: string) => string {
  let isChunked: boolean | null = null;
  let rest = "";
  /** Characters of the current chunk that have not come yet, and of the line end behind it. */
  let left = 0;
  return (text) => {
    isChunked ??= /^[0-9a-f]+\r\n/iu.test(text);
    if (!isChunked) return text;
    rest += text;
    let content = "";
    for (;;) {
      if (left === 0) {
        const head = /^([0-9a-f]+)\r\n/iu.exec(rest);
        if (head === null) return content;
        rest = rest.slice(head[0].length);
        left = Number.parseInt(head[1] ?? "0", 16) + LINE_END;
      }
      const part = rest.slice(0, left);
      content += part.slice(0, Math.max(0, left - LINE_END));
      rest = rest.slice(part.length);
      left -= part.length;
      if (left > 0) return content;
    }
  };
}

const LINE_END = 2;
