import { benchChanges } from "./changes/changes-bench.ts";
import { reportChanges } from "./changes/report-changes.ts";
import { reportTurns } from "./changes/report-turns.ts";
import { benchTurns } from "./changes/turns-bench.ts";
import { benchCluster, printRates } from "./cluster-bench.ts";
import { benchCommands } from "./command-bench.ts";
import { benchDoors } from "./doors/doors-bench.ts";
import { reportDoors } from "./doors/report-doors.ts";
import { compare } from "./floor/compare.ts";
import { benchFloods } from "./flood/flood-bench.ts";
import { reportFloods } from "./flood/report-flood.ts";
import { compareForms } from "./floor/compare-forms.ts";
import { reportFloor, reportForms } from "./floor/report-floor.ts";
import { benchGrowth } from "./growth/growth-bench.ts";
import { reportGrowth } from "./growth/report-growth.ts";
import { benchHost } from "./host/host-bench.ts";
import { reportHost } from "./host/report-host.ts";
import { benchPeers } from "./peers/peers-bench.ts";
import { reportPeers } from "./peers/report-peers.ts";
import { reportRows, type Report } from "./report.ts";
import { benchSandbox } from "./sandbox-bench.ts";
import { benchStorage } from "./storage-bench.ts";
import { benchStreams } from "./stream-bench.ts";
import { reportWeb } from "./web/report-web.ts";
import { benchWeb } from "./web/web-bench.ts";

export type Effort = "quick" | "default" | "full";

/** One part of the benchmark: selected with `--only NAME`, and a section of this name in the docs. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /** Skipped by `--quick`. */
  readonly isSlow?: boolean;
  /** Duration on a quiet machine. The part is skipped if less time is left. */
  readonly seconds: { readonly quick: number; readonly usual: number };
  /** Null if the machine lacks a requirement. */
  run(effort: Effort): Promise<Report | null>;
}

/** Chooses the first value for `--quick` and the last for `--full`. */
const byEffort = <Value>(effort: Effort, quick: Value, usual: Value, full: Value): Value =>
  effort === "quick" ? quick : effort === "full" ? full : usual;

export const PARTS: readonly Part[] = [
  {
    name: "floor",
    seconds: { quick: 90, usual: 270 },
    title: "Holdfast compared with the floor",
    run: async (effort) =>
      reportFloor(
        await compare({ repetitions: byEffort(effort, 2, 3, 9), isQuick: effort === "quick" }),
      ),
  },
  {
    name: "forms",
    seconds: { quick: 80, usual: 120 },
    title: "Holdfast with agents in the sandbox, and on PostgreSQL",
    isSlow: true,
    run: async (effort) =>
      reportForms(await compareForms({ repetitions: byEffort(effort, 1, 1, 5) })),
  },
  {
    name: "host",
    seconds: { quick: 30, usual: 70 },
    title: "Agents outside the server, in the agent host, compared with agents inside it",
    isSlow: true,
    run: async (effort) =>
      reportHost(
        await benchHost({
          rounds: byEffort(effort, 1, 2, 9),
          messages: byEffort(effort, 60, 100, 200),
          updates: byEffort(effort, 30_000, 40_000, 60_000),
          floods: byEffort(effort, 3, 4, 5),
        }),
      ),
  },
  {
    name: "peers",
    seconds: { quick: 300, usual: 600 },
    title: "Holdfast, the floor and other programs, installed from npm",
    isSlow: true,
    run: async (effort) =>
      reportPeers(
        await benchPeers({
          repetitions: byEffort(effort, 1, 1, 5),
          amounts: {
            creates: byEffort(effort, 100, 200, 200),
            turns: byEffort(effort, 10, 30, 60),
            cpuTurns: byEffort(effort, 20, 50, 100),
            pieces: byEffort(effort, 4_000, 20_000, 20_000),
            reads: byEffort(effort, 50, 100, 200),
            messages: byEffort(effort, 200, 1_000, 1_000),
          },
        }),
      ),
  },
  {
    name: "growth",
    seconds: { quick: 20, usual: 80 },
    title: "Cost of operations by the number of stored items",
    run: async (effort) =>
      reportGrowth(
        await benchGrowth({
          sessions: [100, 10_000, ...byEffort(effort, [], [100_000], [100_000, 1_000_000])],
          messages: [10, 1_000, ...(effort === "quick" ? [] : [100_000])],
          samples: byEffort(effort, 60, 150, 300),
        }),
      ),
  },
  {
    name: "storage",
    seconds: { quick: 10, usual: 15 },
    title: "SQLite; raw: node:sqlite on the same file",
    run: async (effort) => {
      const sessions = byEffort(effort, 50_000, 100_000, 100_000);
      const { rows, sizes } = await benchStorage({ sessions });
      return reportRows(rows, {
        sizes,
        notes: [`${sessions.toLocaleString("en")} sessions are stored.`],
      });
    },
  },
  {
    name: "streams",
    seconds: { quick: 25, usual: 35 },
    title: "A server process, agents over stdio, clients over HTTP; stored before shown",
    isSlow: true,
    run: async (effort) => reportRows(await benchStreams({ seconds: byEffort(effort, 3, 4, 10) })),
  },
  {
    name: "commands",
    seconds: { quick: 20, usual: 50 },
    title: "Commands in separate processes; raw: Node that does nothing",
    run: async (effort) =>
      reportRows(
        await benchCommands({ repeat: byEffort(effort, 3, 10, 30), hasBulk: effort !== "quick" }),
      ),
  },
  {
    name: "doors",
    seconds: { quick: 25, usual: 45 },
    title: "The doors: starts of their programs, and answers and results of tools through them",
    run: async (effort) =>
      reportDoors(
        await benchDoors({
          starts: byEffort(effort, 5, 15, 50),
          messages: byEffort(effort, 40, 100, 300),
        }),
      ),
  },
  {
    name: "web",
    seconds: { quick: 30, usual: 35 },
    title: "The page in Chromium; 12 characters per update, all messages in the list",
    isSlow: true,
    run: async (effort) => reportWeb(await benchWeb({ seconds: byEffort(effort, 5, 6, 15) })),
  },
  {
    name: "cluster",
    seconds: { quick: 35, usual: 50 },
    title: "Three server processes on one PostgreSQL, all on this machine; lease 10 s",
    isSlow: true,
    run: async (effort) => {
      const { rows, rates } = await benchCluster({
        seconds: byEffort(effort, 3, 4, 10),
        takeovers: byEffort(effort, 1, 1, 5),
      });
      const report = reportRows(rows, { notes: [printRates(rates)] });
      return { ...report, figures: { rows, rates } };
    },
  },
  {
    name: "flood",
    seconds: { quick: 60, usual: 110 },
    title: "Four sessions with short turns, beside one agent that writes as fast as it can",
    isSlow: true,
    run: async (effort) => reportFloods(await benchFloods({ seconds: byEffort(effort, 2, 4, 15) })),
  },
  {
    name: "changes",
    seconds: { quick: 15, usual: 45 },
    title: "Snapshots of the files of a repository, compared with git status",
    run: async (effort) =>
      reportChanges(
        await benchChanges({
          files: byEffort(effort, 20_000, 100_000, 100_000),
          turns: byEffort(effort, 10, 20, 50),
        }),
      ),
  },
  {
    name: "turns",
    seconds: { quick: 25, usual: 50 },
    title: "Messages in folders with snapshots, compared with a folder without",
    run: async (effort) =>
      reportTurns(await benchTurns({ messages: byEffort(effort, 20, 60, 200) })),
  },
  {
    name: "sandbox",
    seconds: { quick: 5, usual: 10 },
    title: "Starts in the sandbox; raw: without it",
    run: async (effort) => {
      const rows = await benchSandbox({ repeat: byEffort(effort, 5, 15, 50) });
      return rows === null ? null : reportRows(rows);
    },
  },
];
