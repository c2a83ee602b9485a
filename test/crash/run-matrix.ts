import { canMount, NO_MOUNT } from "../../packages/server/src/storage/sqlite/testing/small-disk.ts";
import { seeded } from "../cluster/faults.ts";
import { CrashRig } from "./crash-rig.ts";
import { NO_COUNTS } from "./fault-window.ts";
import type { Kills } from "./kills.ts";
import { runMatrixRound, type MatrixRound } from "./matrix-round.ts";
import type { PlannedRound, SessionMoment } from "./matrix.ts";

export interface MatrixOptions {
  readonly seed: number;
  /** Number of rounds completed before. */
  readonly done?: number;
  /** The moments of a round, by its number (default: all moments). */
  readonly momentsOf?: (round: number) => readonly SessionMoment[];
  readonly kills?: Kills;
  readonly onRound?: (round: MatrixRound) => void;
  readonly signal?: AbortSignal;
  /** The server's program (default: the sources). */
  readonly program?: string;
}

/** Short enough to wait for, long enough to bring a session into its moment. */
const SHORT_SILENCE_MS = 6_000;

/** Runs the rounds on a few long-lived servers, each in the environment that its faults need. */
export async function runMatrix(
  plan: Iterable<PlannedRound>,
  { seed, done = 0, momentsOf, kills, onRound = () => {}, signal, program }: MatrixOptions,
): Promise<readonly MatrixRound[]> {
  const rigs = new Map<Environment, CrashRig>();
  const rounds: MatrixRound[] = [];
  try {
    let index = done;
    for (const planned of plan) {
      if (signal?.aborted === true) break;
      const kind = environmentOf(planned);
      const rig = rigs.get(kind) ?? (await openRig(kind, program));
      rigs.set(kind, rig);
      const random = seeded(seed + index * 7_919);
      const moments = momentsOf?.(index);
      index += 1;
      const options = {
        random,
        ...(moments !== undefined && { moments }),
        ...(kills !== undefined && { kills }),
      };
      const round = await runMatrixRound(rig, planned, options).catch((error: unknown) =>
        failedRound(planned, { error, output: rig.output }),
      );
      if (round.violations.length > 0) {
        // The next round must not be affected.
        await rig.close();
        rigs.delete(kind);
      }
      rounds.push(round);
      onRound(round);
    }
    for (const rig of rigs.values()) await stopCleanly(rig);
    return rounds;
  } finally {
    for (const rig of rigs.values()) await rig.close();
  }
}

/** The reason why rounds of this fault cannot run on this machine, or null. */
export function whyNotHere({ fault }: PlannedRound): string | null {
  if (process.platform !== "linux")
    return "the tests look for processes in /proc, which only Linux has";
  if (fault === "disk full" && !canMount()) return NO_MOUNT;
  return null;
}

type Environment = "usual" | "small disk" | "short silence" | "agents inside";

function environmentOf({ fault }: PlannedRound): Environment {
  if (fault === "disk full") return "small disk";
  if (fault === "server killed, agents inside") return "agents inside";
  return fault === "node paused" ? "short silence" : "usual";
}

function openRig(kind: Environment, program: string | undefined): Promise<CrashRig> {
  return CrashRig.open({
    ...(program !== undefined && { program }),
    smallDisk: kind === "small disk",
    agentsInside: kind === "agents inside",
    ...(kind === "short silence" && { silentMs: SHORT_SILENCE_MS }),
  });
}

async function stopCleanly(rig: CrashRig): Promise<void> {
  const code = rig.isUp ? await rig.stop() : 0;
  const left = rig.agents();
  if (code !== 0 || left.length > 0)
    throw new Error(
      `the server exited with ${code} and left ${left.length} processes: ${rig.output}`,
    );
}

function failedRound(
  planned: PlannedRound,
  { error, output }: { readonly error: unknown; readonly output: string },
): MatrixRound {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    ...planned,
    hit: [],
    missed: [],
    violations: [`failed: ${reason}\nOutput of the server: ${output}`],
    counts: NO_COUNTS,
    acknowledged: 0,
    refused: 0,
    reconnects: 0,
    events: 0,
    settledMs: 0,
    tookMs: 0,
  };
}
