import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import { residentBytesOf, untilQuiet } from "../process-stat.ts";
import { deleteSession, openWarmSession, sendMessage } from "./bench-session.ts";
import type { Running } from "./contender.ts";
import { openConnection } from "./raw-http.ts";
import type { Probe } from "./probe.ts";

const PROCESSES = 2;

/** Many clients of one session in separate processes, and an agent that writes as fast as it can. */
export const fanOutProbe = ({
  clients,
  updates,
}: {
  readonly clients: number;
  readonly updates: number;
}): Probe => ({
  samples: 1,
  isHeavy: true,
  open: async (running) => ({
    sample: async () => {
      const { id, close } = await openWarmSession(running);
      close();
      await untilQuiet(running.pid);
      const before = residentBytesOf(running.pid);
      const crowds = startCrowds(running, { id, clients, updates });
      try {
        await Promise.all(crowds.map((crowd) => nextMessage(crowd)));
        const clientMemory = (residentBytesOf(running.pid) - before) / clients / 1_024;
        const all = Promise.all(crowds.map((crowd) => nextMessage(crowd)));
        const connection = await openConnection(running.url);
        const start = performance.now();
        await sendMessage(connection, id, `@flood ${updates}`);
        await all;
        const seconds = (performance.now() - start) / 1_000;
        connection.close();
        return { fanOut: (clients * updates) / seconds, clientMemory };
      } finally {
        for (const crowd of crowds) crowd.kill();
        await deleteSession(running, id);
      }
    },
  }),
});

function startCrowds(
  { url }: Running,
  {
    id,
    clients,
    updates,
  }: { readonly id: string; readonly clients: number; readonly updates: number },
): readonly ChildProcess[] {
  const crowd = JSON.stringify({ url, id, clients: clients / PROCESSES, updates });
  const program = path.join(import.meta.dirname, "crowd.ts");
  return Array.from({ length: PROCESSES }, () => fork(program, [crowd]));
}

function nextMessage(crowd: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    crowd.once("message", () => resolve());
    crowd.once("exit", (code) => reject(new Error(`a crowd of clients exited with ${code}`)));
  });
}
