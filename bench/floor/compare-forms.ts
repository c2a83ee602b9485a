import { startPostgresServer } from "../../packages/server/src/storage/testing/postgres-server.ts";
import { openRaw } from "../../packages/server/src/storage/testing/raw-database.ts";
import { openBenchFolder } from "../bench-folder.ts";
import { watchMachine } from "../machine.ts";
import { parentOf } from "../process-stat.ts";
import { copyProgram } from "../server-process.ts";
import type { Comparison } from "./compare.ts";
import {
  floorContender,
  holdfastContender,
  type Contender,
  type ContenderOptions,
} from "./contender.ts";
import { eventProbe } from "./cpu-probes.ts";
import { ENDED_WITH_SERVER, killInTurns } from "./kill-probe.ts";
import { probeInTurns, type Turns } from "./probe.ts";
import { requestJson, openConnection } from "./raw-http.ts";
import { createCollection } from "./readings.ts";
import {
  createProbe,
  createRateProbe,
  lastMessagesProbe,
  listProbe,
  sessionProbe,
} from "./request-probes.ts";
import { storeSessions } from "./stored.ts";
import { answerProbe, firstAnswerProbe, throughputProbe, updateProbe } from "./stream-probes.ts";

const STORED = 10_000;

type Options = Pick<ContenderOptions, "agentHost">;

/** Measures the floor, Holdfast, Holdfast with agents in the sandbox, and Holdfast on PostgreSQL, alternately. */
export async function compareForms({
  repetitions,
}: {
  readonly repetitions: number;
}): Promise<Comparison> {
  const folder = openBenchFolder();
  const machine = watchMachine();
  const collection = createCollection();
  const turns: Turns = { repetitions, collection, between: machine.sample };
  const program = copyProgram(folder.newFolder("program"));
  const postgres = await startPostgresServer({ durable: true });
  try {
    const databasePid = await firstProcessOf(postgres.url);
    const plain = (stage: string, options: Options = {}): Contender =>
      holdfastContender({ folder: folder.newFolder(`${stage}-holdfast`), program, ...options });
    const onPostgres = async (stage: string, options: Options = {}): Promise<Contender> =>
      holdfastContender({
        ...options,
        name: "postgres",
        folder: folder.newFolder(`${stage}-postgres`),
        program,
        postgresUrl: await newDatabase(postgres.url, stage),
        databasePid,
      });
    const inSandbox = (stage: string, options: Options = {}): Contender =>
      holdfastContender({
        ...options,
        name: "sandbox",
        folder: folder.newFolder(`${stage}-sandbox`),
        program,
        sandbox: "auto",
      });
    const hasSandbox = await isSandboxed(inSandbox("try"));
    const all = async (stage: string, options: Options = {}): Promise<readonly Contender[]> => [
      floorContender({ folder: folder.newFolder(`${stage}-floor`) }),
      plain(stage, options),
      ...(hasSandbox ? [inSandbox(stage, options)] : []),
      await onPostgres(stage, options),
    ];
    await killInTurns(await all("kill", ENDED_WITH_SERVER), turns);
    await probeInTurns(
      await all("work"),
      [
        createProbe(100),
        createRateProbe(500),
        answerProbe(40),
        firstAnswerProbe(3),
        updateProbe(2),
        throughputProbe(30_000),
        eventProbe(500),
      ],
      turns,
    );
    const stored = [plain("stored"), await onPostgres("stored")];
    for (const contender of stored) await storeSessions(contender, STORED);
    await probeInTurns(
      stored,
      [listProbe(100, "list10k"), sessionProbe(100), lastMessagesProbe(100)],
      turns,
    );
    return { repetitions, noise: machine.noise(), results: collection.results() };
  } finally {
    await postgres.stop();
    folder.remove();
  }
}

async function newDatabase(serverUrl: string, name: string): Promise<string> {
  const raw = await openRaw({ engine: "postgres", url: serverUrl });
  await raw.run(`create database "bench_${name}"`);
  await raw.close();
  const url = new URL(serverUrl);
  url.pathname = `/bench_${name}`;
  return url.href;
}

/** The process of PostgreSQL that starts all others. */
async function firstProcessOf(serverUrl: string): Promise<number> {
  const raw = await openRaw({ engine: "postgres", url: serverUrl });
  const [row] = await raw.all("select pg_backend_pid() as pid");
  const first = parentOf(Number(row?.["pid"]));
  await raw.close();
  return first;
}

/** Whether this machine has a sandbox. */
async function isSandboxed(contender: Contender): Promise<boolean> {
  const running = await contender.start();
  try {
    const connection = await openConnection(running.url);
    const { sandbox } = await requestJson<{ readonly sandbox: { readonly active: boolean } }>(
      connection,
      {
        path: "/readyz",
      },
    );
    connection.close();
    return sandbox.active;
  } finally {
    await running.kill();
  }
}
