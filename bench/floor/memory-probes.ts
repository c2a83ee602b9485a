import { residentBytesOf, untilQuiet } from "../process-stat.ts";
import { deleteSession, openWarmSession } from "./bench-session.ts";
import type { Running } from "./contender.ts";
import type { Probe } from "./probe.ts";

const AGENTS = 20;

/** Memory of the server for live, idle agents, without their own processes. */
export const agentMemoryProbe: Probe = {
  samples: 1,
  isOnce: true,
  open: async (running) => ({
    sample: async () => {
      const first = await openAgents(running, 1);
      await untilQuiet(running.pid);
      const before = residentBytesOf(running.pid);
      const others = await openAgents(running, AGENTS);
      await untilQuiet(running.pid);
      const bytes = residentBytesOf(running.pid) - before;
      for (const id of [...first, ...others]) await deleteSession(running, id);
      return { agentMemory: bytes / AGENTS / 1_024 };
    },
  }),
};

async function openAgents(running: Running, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const session = await openWarmSession(running);
    session.close();
    ids.push(session.id);
  }
  return ids;
}

/** Memory of newly started servers with few and with many stored sessions. */
export function sessionMemoryProbe({ more }: { readonly more: number }): {
  readonly few: Probe;
  readonly many: Probe;
} {
  const withFew = new Map<string, number>();
  return {
    few: {
      samples: 1,
      isOnce: true,
      open: async ({ pid }, { name }) => ({
        sample: async () => {
          if (!withFew.has(name)) withFew.set(name, residentBytesOf(pid));
          return {};
        },
      }),
    },
    many: {
      samples: 1,
      isOnce: true,
      open: async ({ pid }, { name }) => ({
        sample: async () => {
          const bytes = residentBytesOf(pid) - (withFew.get(name) ?? Number.NaN);
          return { sessionMemory: bytes / more };
        },
      }),
    },
  };
}
