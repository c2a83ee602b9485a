import { openConnection, ask, type Connection } from "./raw-http.ts";
import type { MeasureId } from "./measures.ts";
import type { Probe } from "./probe.ts";
import { LONG_SESSION, SHORT_SESSION } from "./stored.ts";

const CONCURRENT = 32;
const WARM_UP = 20;

export const createProbe = (looks: number): Probe => ({
  looks,
  open: async ({ url, newSession }) => {
    const connection = await openConnection(url);
    const create = (): Promise<number> =>
      timed(connection, { method: "POST", path: "/api/sessions", body: newSession });
    for (let index = 0; index < WARM_UP; index += 1) await create();
    return {
      look: async () => ({ create: await create() }),
      close: () => connection.close(),
    };
  },
});

export const createRateProbe = (count: number): Probe => ({
  looks: 1,
  isHeavy: true,
  open: async ({ url, newSession }) => {
    const connections = await Promise.all(
      Array.from({ length: CONCURRENT }, () => openConnection(url)),
    );
    return {
      look: async () => {
        let left = count;
        const start = performance.now();
        await Promise.all(
          connections.map(async (connection) => {
            for (left -= 1; left >= 0; left -= 1) {
              await timed(connection, { method: "POST", path: "/api/sessions", body: newSession });
            }
          }),
        );
        return { createRate: count / ((performance.now() - start) / 1_000) };
      },
      close: () => {
        for (const connection of connections) connection.close();
      },
    };
  },
});

/** Something is new before each look: nobody reads a list that never changes. */
export const listProbe = (looks: number, measure: "list10k" | "list100k"): Probe => ({
  looks,
  open: async ({ url, newSession }) => {
    const connection = await openConnection(url);
    const list = async (): Promise<number> => {
      await timed(connection, { method: "POST", path: "/api/sessions", body: newSession });
      return timed(connection, { method: "GET", path: "/api/sessions" });
    };
    for (let index = 0; index < WARM_UP; index += 1) await list();
    return {
      look: async () => ({ [measure]: await list() }),
      close: () => connection.close(),
    };
  },
});

export const listAgainProbe = (looks: number): Probe =>
  getProbe(looks, { measure: "listAgain", path: "/api/sessions" });

export const sessionProbe = (looks: number): Probe =>
  getProbe(looks, { measure: "get", path: `/api/sessions/${SHORT_SESSION}` });

export const lastMessagesProbe = (looks: number): Probe => ({
  looks,
  open: async (running, contender) => {
    const connection = await openConnection(running.url);
    const path = `/api/sessions/${LONG_SESSION}`;
    const { lastEventId = 0 } = await ask<{ lastEventId?: number }>(connection, { path });
    connection.close();
    const of50 = contender.lastMessages(LONG_SESSION, lastEventId);
    return getProbe(looks, { measure: "last50", path: of50 }).open(running, contender);
  },
});

function getProbe(
  looks: number,
  { measure, path }: { readonly measure: MeasureId; readonly path: string },
): Probe {
  return {
    looks,
    open: async ({ url }) => {
      const connection = await openConnection(url);
      const get = { method: "GET", path };
      for (let index = 0; index < WARM_UP; index += 1) await timed(connection, get);
      return {
        look: async () => ({ [measure]: await timed(connection, get) }),
        close: () => connection.close(),
      };
    },
  };
}

export async function timed(
  connection: Connection,
  {
    method,
    path,
    body,
  }: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<number> {
  const start = performance.now();
  const reply = await connection.request(method, path, body);
  const tookMs = performance.now() - start;
  if (reply.status >= 300) {
    throw new Error(`${method} ${path}: ${reply.status} ${reply.body.toString()}`);
  }
  return tookMs;
}
