import { cpuMsOfAll, cpuMsWithChildren } from "../process-stat.ts";
import { deleteSession, openWarmSession } from "./bench-session.ts";
import type { Contender } from "./contender.ts";
import type { Probe } from "./probe.ts";

/** Turns until the programs are compiled for them. */
const WARM_UP = 20;

/** CPU time of the server and its agent host for a turn with one piece of text, in one session with one client. */
export const turnProbe = (turns: number): Probe => ({
  samples: 1,
  isHeavy: true,
  open: async (running, contender) => {
    const session = await openWarmSession(running);
    const pids = await contender.processes(running);
    return {
      sample: async () => {
        for (let index = 0; index < WARM_UP; index += 1) await session.send("@one");
        const before = cpuMsOfAll(pids);
        for (let index = 0; index < turns; index += 1) await session.send("@one");
        const usedMs = cpuMsOfAll(pids) - before;
        return { turnCpu: usedMs / turns };
      },
      close: () => {
        session.close();
        return deleteSession(running, session.id);
      },
    };
  },
});

/** Long enough that an update is stored before the next one comes, so that each has a transaction of its own. */
const APART_MS = 8;

/** CPU time of the server, its agent host and its database for an update that is stored alone. */
export const eventProbe = (events: number): Probe => ({
  samples: 1,
  isHeavy: true,
  open: async (running, contender) => {
    const session = await openWarmSession(running);
    const pids = await contender.processes(running);
    const cpuMs = (): number => cpuMsOfAll(pids) + databaseMs(contender);
    return {
      sample: async () => {
        session.stamps.length = 0;
        await session.sendUntil(`@stamp ${WARM_UP + events} ${APART_MS}`, WARM_UP);
        const before = cpuMs();
        const first = session.stamps.length;
        await session.untilStamps(WARM_UP + events);
        const usedMs = cpuMs() - before;
        return { eventCpu: usedMs / (WARM_UP + events - first) };
      },
      close: () => {
        session.close();
        return deleteSession(running, session.id);
      },
    };
  },
});

function databaseMs({ databasePid }: Contender): number {
  return databasePid === null ? 0 : cpuMsWithChildren(databasePid);
}
