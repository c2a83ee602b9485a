import { openConnection, requestJson, type Connection } from "./raw-http.ts";
import type { MeasureId } from "./measures.ts";
import type { Probe } from "./probe.ts";
import { LONG_SESSION, SHORT_SESSION } from "./stored.ts";

const CONCURRENT = 32;
const WARM_UP = 20;

export const createProbe = (samples: number): Probe => ({
  samples,
  open: async ({ url, newSession }) => {
    const connection = await openConnection(url);
    const create = (): Promise<number> =>
      timed(connection, { method: "POST", path: "/api/sessions", body: newSession });
    for (let index = 0; index < WARM_UP; index += 1) await create();
    return {
      sample: async () => ({ create: await create() }),
      close: () => connection.close(),
    };
  },
});

/** Without the other server's turn between two requests. */
export const createInRowProbe = (count: number): Probe => ({
  samples: 1,
  isHeavy: true,
  open: async ({ url, newSession }) => {
    const connection = await openConnection(url);
    return {
      sample: async () => {
        const times: number[] = [];
        for (let index = -WARM_UP; index < count; index += 1) {
          const tookMs = await timed(connection, {
            method: "POST",
            path: "/api/sessions",
            body: newSession,
          });
          if (index >= 0) times.push(tookMs);
        }
        return { createInRow: times };
      },
      close: () => connection.close(),
    };
  },
});

export const createRateProbe = (count: number): Probe => ({
  samples: 1,
  isHeavy: true,
  open: async ({ url, newSession }) => {
    const connections = await Promise.all(
      Array.from({ length: CONCURRENT }, () => openConnection(url)),
    );
    return {
      sample: async () => {
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

/** Creates a session before each sample, because a list that never changes is not realistic. */
export const listProbe = (samples: number, measure: "list10k" | "list100k"): Probe => ({
  samples,
  open: async ({ url, newSession }) => {
    const connection = await openConnection(url);
    const list = async (): Promise<number> => {
      await timed(connection, { method: "POST", path: "/api/sessions", body: newSession });
      return timed(connection, { method: "GET", path: "/api/sessions" });
    };
    for (let index = 0; index < WARM_UP; index += 1) await list();
    return {
      sample: async () => ({ [measure]: await list() }),
      close: () => connection.close(),
    };
  },
});

export const listAgainProbe = (samples: number): Probe =>
  getProbe(samples, { measure: "listAgain", path: "/api/sessions" });

export const sessionProbe = (samples: number): Probe =>
  getProbe(samples, { measure: "get", path: `/api/sessions/${SHORT_SESSION}` });

export const lastMessagesProbe = (samples: number): Probe => ({
  samples,
  open: async (running, contender) => {
    const connection = await openConnection(running.url);
    const path = `/api/sessions/${LONG_SESSION}`;
    const { lastEventId = 0 } = await requestJson<{ lastEventId?: number }>(connection, { path });
    connection.close();
    const last50Path = contender.lastMessages(LONG_SESSION, lastEventId);
    return getProbe(samples, { measure: "last50", path: last50Path }).open(running, contender);
  },
});

function getProbe(
  samples: number,
  { measure, path }: { readonly measure: MeasureId; readonly path: string },
): Probe {
  return {
    samples,
    open: async ({ url }) => {
      const connection = await openConnection(url);
      const get = { method: "GET", path };
      for (let index = 0; index < WARM_UP; index += 1) await timed(connection, get);
      return {
        sample: async () => ({ [measure]: await timed(connection, get) }),
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
