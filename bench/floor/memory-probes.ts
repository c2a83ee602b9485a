import { residentBytesOf, untilQuiet } from "../process-stat.ts";
import { deleteSession, openWarmSession } from "./bench-session.ts";
import type { Running } from "./contender.ts";
import type { Probe } from "./probe.ts";

const AGENTS = 20;

/** Agents that live and are idle; their own processes are not counted. */
export const agentMemoryProbe: Probe = {
  looks: 1,
  isOnce: true,
  open: async (running) => ({
    look: async () => {
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

/** Servers that have just started, on few stored sessions and on many. */
export function sessionMemoryProbe({ more }: { readonly more: number }): {
  readonly few: Probe;
  readonly many: Probe;
} {
  const withFew = new Map<string, number>();
  return {
    few: {
      looks: 1,
      isOnce: true,
      open: async ({ pid }, { name }) => ({
        look: async () => {
          if (!withFew.has(name)) withFew.set(name, residentBytesOf(pid));
          return {};
        },
      }),
    },
    many: {
      looks: 1,
      isOnce: true,
      open: async ({ pid }, { name }) => ({
        look: async () => {
          const bytes = residentBytesOf(pid) - (withFew.get(name) ?? Number.NaN);
          return { sessionMemory: bytes / more };
        },
      }),
    },
  };
}
