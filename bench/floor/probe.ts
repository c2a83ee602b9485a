import { untilQuiet, untilSettled } from "../process-stat.ts";
import type { Contender, Running } from "./contender.ts";
import type { Collection, Readings } from "./readings.ts";

/** One measurement of a server. It is opened once per repetition. */
export interface Probe {
  /** Samples in one repetition, alternating between the contenders. */
  readonly samples: number;
  /** Causes so much work that the next sample must wait until the server is idle. */
  readonly isHeavy?: boolean;
  /** One repetition is enough. */
  readonly isOnce?: boolean;
  open(running: Running, contender: Contender): Promise<OpenProbe>;
}

export interface OpenProbe {
  sample(): Promise<Readings>;
  close?(): void | Promise<void>;
}

export interface Turns {
  readonly repetitions: number;
  readonly collection: Collection;
  /** Called between probes, while nothing runs. */
  readonly between: () => Promise<void>;
}

/** Runs every probe alternately on all servers, so that they run under the same conditions. */
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
        await runRound(servers, { probe, collection });
      }
    }
  } finally {
    await Promise.all(servers.map(({ running }) => running.kill()));
  }
}

async function runRound(
  servers: readonly { readonly contender: Contender; readonly running: Running }[],
  { probe, collection }: { readonly probe: Probe; readonly collection: Collection },
): Promise<void> {
  const all = [];
  for (const { contender, running } of servers) {
    const open = await probe.open(running, contender);
    const readings: Readings[] = [];
    all.push({ name: contender.name, pid: running.pid, open, readings });
  }
  for (let sample = 0; sample < probe.samples; sample += 1) {
    for (const { pid, open, readings } of all) {
      readings.push(await open.sample());
      if (probe.isHeavy === true) await untilQuiet(pid);
    }
  }
  for (const { name, pid, open, readings } of all) {
    await open.close?.();
    if (probe.isHeavy === true) await untilQuiet(pid);
    collection.add(name, readings);
  }
}
