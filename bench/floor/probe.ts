import { untilQuiet, untilSettled } from "../process-stat.ts";
import type { Contender, Running } from "./contender.ts";
import type { Collection, Readings } from "./readings.ts";

/** One way to look at a server; opened once for each repetition. */
export interface Probe {
  /** Looks in one repetition, in turns with the other contenders. */
  readonly looks: number;
  /** It makes so much work that the next one must not begin before the server is quiet again. */
  readonly isHeavy?: boolean;
  /** One repetition is enough. */
  readonly isOnce?: boolean;
  open(running: Running, contender: Contender): Promise<OpenProbe>;
}

export interface OpenProbe {
  look(): Promise<Readings>;
  close?(): void | Promise<void>;
}

export interface Turns {
  readonly repetitions: number;
  readonly collection: Collection;
  /** Called between probes, when nothing is going on. */
  readonly between: () => Promise<void>;
}

/** Every probe on servers that all run: a look at one, a look at the next, so that all have the same machine. */
export async function probeInTurns(
  contenders: readonly Contender[],
  probes: readonly Probe[],
  { repetitions, collection, between }: Turns,
): Promise<void> {
  const servers: { readonly contender: Contender; readonly running: Running }[] = [];
  try {
    for (const contender of contenders) {
      servers.push({ contender, running: await contender.start() });
    }
    await Promise.all(servers.map(({ running }) => untilSettled(running.pid)));
    for (const probe of probes) {
      await between();
      const rounds = probe.isOnce === true ? 1 : repetitions;
      for (let round = 0; round < rounds; round += 1) {
        await oneRound(servers, { probe, collection });
      }
    }
  } finally {
    await Promise.all(servers.map(({ running }) => running.kill()));
  }
}

async function oneRound(
  servers: readonly { readonly contender: Contender; readonly running: Running }[],
  { probe, collection }: { readonly probe: Probe; readonly collection: Collection },
): Promise<void> {
  const all = [];
  for (const { contender, running } of servers) {
    const open = await probe.open(running, contender);
    const readings: Readings[] = [];
    all.push({ name: contender.name, pid: running.pid, open, readings });
  }
  for (let look = 0; look < probe.looks; look += 1) {
    for (const { pid, open, readings } of all) {
      readings.push(await open.look());
      if (probe.isHeavy === true) await untilQuiet(pid);
    }
  }
  for (const { name, pid, open, readings } of all) {
    await open.close?.();
    if (probe.isHeavy === true) await untilQuiet(pid);
    collection.add(name, readings);
  }
}
