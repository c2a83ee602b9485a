import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { say, script, tell, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { need } from "../../packages/server/src/domain/testing/machine.ts";
import { CrashRig } from "./crash-rig.ts";

/** Longer than the renewals of the lease, which come every two seconds, and shorter than the pause. */
const SILENT_MS = 5_000;
const PAUSED_MS = 6_500;

let rig: CrashRig;
beforeAll(async () => {
  need(process.platform === "linux" ? null : "the tests look for processes in /proc");
  rig = await CrashRig.open({ silentMs: SILENT_MS });
  if (!(await rig.start())) throw new Error(`the server did not start: ${rig.output}`);
});
afterAll(() => rig.close());

async function until(
  id: string,
  condition: (session: WholeSession) => boolean,
): Promise<WholeSession> {
  const signal = AbortSignal.timeout(60_000);
  for await (const { session } of rig.client.sessions.follow(id, { signal })) {
    if (condition(session)) return session;
  }
  throw new Error("the session did not reach the expected state");
}

/** The text of the agent, without the prompt. */
function textOf({ messages }: WholeSession): string {
  const texts = messages.map(({ role, content }) =>
    role === "agent" && content.type === "text" ? content.text : "",
  );
  return texts.join("");
}

/** Makes the lease of the server end in the past, as a long pause or a jump of the clock does. */
function expireLease(): void {
  withDatabase((database) => database.exec('update "NodeLease" set "expiresAt" = 0'));
}

async function renewed(): Promise<void> {
  const isOver = calmDeadline(30_000);
  while (withDatabase(leaseEndsAt) === 0) {
    if (isOver()) throw new Error("the lease was not renewed");
    await pause(50);
  }
}

function leaseEndsAt(database: DatabaseSync): unknown {
  return database.prepare('select max("expiresAt") as "at" from "NodeLease"').get()?.["at"];
}

function withDatabase<Value>(use: (database: DatabaseSync) => Value): Value {
  const database = new DatabaseSync(rig.database, { timeout: 10_000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

async function startRun(name: string): Promise<{ id: string; proceed: () => void }> {
  const { id } = await rig.createSession("scripted");
  const file = rig.file(name);
  const steps = script(tell("pid"), say(" before "), waitFor(file), say("after"));
  await rig.client.sessions.send(id, { text: steps });
  await until(id, (session) => textOf(session).includes("before"));
  return { id, proceed: () => writeFileSync(file, "") };
}

async function expectUndisturbed(id: string): Promise<void> {
  const session = await until(id, ({ state }) => state === "idle");
  // One process said all of it, once.
  expect(textOf(session)).toMatch(/^pid: \d+ before after$/u);
  const { runs } = await rig.client.sessions.runs(id);
  expect(runs).toMatchObject([{ status: "completed", attempts: 1 }]);
  expect(session).toMatchObject({ errorCount: 0, status: "active" });
}

describe("a server on SQLite that stood still", () => {
  it("P2: goes on with its runs after a pause longer than its lease and than agents may be silent", async () => {
    const talking = await startRun("talking");
    const quiet = await startRun("quiet");
    expireLease();
    rig.signal("SIGSTOP");
    // This agent finishes while the server does not read.
    talking.proceed();
    await pause(PAUSED_MS);
    rig.signal("SIGCONT");
    await renewed();
    quiet.proceed();
    await expectUndisturbed(talking.id);
    await expectUndisturbed(quiet.id);
  });

  it("P2: goes on with its runs after a sleep, in which only the time of day advanced", async () => {
    const { id, proceed } = await startRun("asleep");
    expireLease();
    await renewed();
    proceed();
    await expectUndisturbed(id);
  });
});
