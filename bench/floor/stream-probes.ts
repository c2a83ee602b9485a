import { cpuMsOfAll } from "../process-stat.ts";
import {
  createSession,
  deleteSession,
  openSession,
  openWarmSession,
  sendMessage,
  type Stamp,
} from "./bench-session.ts";
import type { Running } from "./contender.ts";
import { openConnection, openEvents } from "./raw-http.ts";
import type { Probe } from "./probe.ts";
import type { Readings } from "./readings.ts";

const latencyMs = ({ wroteAt, gotAt }: Stamp): number => Number(gotAt - wroteAt) / 1e6;

/** A message to a live, idle agent. */
export const answerProbe = (samples: number): Probe => ({
  samples,
  open: async (running) => {
    const session = await openWarmSession(running);
    return {
      sample: async () => {
        session.stamps.length = 0;
        const { sentAt, readAt, endedAt } = await session.send("@stamp 1 0");
        const toAgent = Number(readAt - sentAt) / 1e6;
        const lastWordAt = session.stamps.at(-1)?.wroteAt ?? 0n;
        const endOfTurn = Number(endedAt - lastWordAt) / 1e6;
        return { toAgent, firstToken: session.stamps.map(latencyMs), endOfTurn };
      },
      close: () => {
        session.close();
        return deleteSession(running, session.id);
      },
    };
  },
});

/** A message to a new session, whose agent has to start. */
export const firstAnswerProbe = (samples: number): Probe => ({
  samples,
  open: async (running) => ({
    sample: async () => {
      const session = await openSession(running, await createSession(running));
      const start = process.hrtime.bigint();
      await session.sendUntil("@stamp 1 0", 1);
      const [first] = session.stamps;
      session.close();
      await deleteSession(running, session.id);
      return first === undefined ? {} : { firstAnswer: Number(first.gotAt - start) / 1e6 };
    },
  }),
});

/** One second of 100 updates. */
export const updateProbe = (samples: number): Probe => ({
  samples,
  open: async (running) => {
    const session = await openWarmSession(running);
    return {
      sample: async () => {
        session.stamps.length = 0;
        await session.send("@stamp 100 10");
        const times = session.stamps.map(latencyMs);
        if (times.length !== 100) throw new Error(`${times.length} of 100 updates arrived`);
        return { update50: times, update99: times };
      },
      close: () => {
        session.close();
        return deleteSession(running, session.id);
      },
    };
  },
});

const LAST = Buffer.from("all-sent");

/** An agent writes as fast as it can, until a client has the last update. */
export const throughputProbe = (updates: number): Probe => ({
  samples: 1,
  isHeavy: true,
  open: async (running, contender) => {
    const { id, close } = await openWarmSession(running);
    close();
    const pids = await contender.processes(running);
    return {
      sample: () => flood(running, { id, updates, pids }),
      close: () => deleteSession(running, id),
    };
  },
});

/** Counts the received updates after the measurement. */
async function flood(
  { url }: Running,
  {
    id,
    updates,
    pids,
  }: { readonly id: string; readonly updates: number; readonly pids: readonly number[] },
): Promise<Readings> {
  const pieces: Buffer[] = [];
  const finished = Promise.withResolvers<{ readonly at: number; readonly cpuMs: number }>();
  let tail: Buffer = Buffer.alloc(0);
  const reader = await openEvents(url, `/api/sessions/${id}/events`, (bytes) => {
    pieces.push(bytes);
    const isLast = Buffer.concat([tail, bytes]).includes(LAST);
    tail = bytes.subarray(-LAST.length);
    if (isLast) finished.resolve({ at: performance.now(), cpuMs: cpuMsOfAll(pids) });
  });
  const connection = await openConnection(url);
  const cpuMs = cpuMsOfAll(pids);
  const start = performance.now();
  await sendMessage(connection, id, `@flood ${updates}`);
  const end = await finished.promise;
  connection.close();
  reader.close();
  const got = Buffer.concat(pieces).toString("latin1").split(" ~ ").length - 1;
  if (got < updates) throw new Error(`${got} of ${updates} updates arrived`);
  return {
    throughput: updates / ((end.at - start) / 1_000),
    cpu: ((end.cpuMs - cpuMs) * 1_000) / updates,
  };
}
