import { residentBytesOf, untilSettled } from "../process-stat.ts";
import { openWarmSession, sendMessage } from "./bench-session.ts";
import type { Contender, Running } from "./contender.ts";
import { openConnection, openEvents } from "./raw-http.ts";
import type { Turns } from "./probe.ts";
import type { Readings } from "./readings.ts";

const SHOWN = 150;
/** Numbers that no other answer of the session contains. */
const FIRST = 1_000;
const NEXT = 777_777;

/** As agents of the floor are. Otherwise the agent would go on with its answer, and the next message wait for its end. */
export const ENDED_WITH_SERVER = { agentHost: "inside" } as const;

/**
 * Starts each server with a request for a session, and again with one for its health. Leaves it idle, kills it while it
 * streams, restarts it and sends another message.
 */
export async function killInTurns(
  contenders: readonly Contender[],
  { repetitions, collection, between }: Turns,
): Promise<void> {
  // The first run creates the database and compiles the program, which is not typical. It saves the compiled code when it ends.
  const newSessions = new Map<Contender, Running["newSession"]>();
  for (const contender of contenders) {
    const running = await contender.start();
    newSessions.set(contender, running.newSession);
    const session = await openWarmSession(running);
    session.close();
    await untilSettled(running.pid);
    await running.kill("SIGTERM");
  }
  await between();
  for (let round = 0; round < repetitions; round += 1) {
    for (const [contender, body] of newSessions) {
      await finishWork(contender);
      const first = await contender.start({ method: "POST", path: "/api/sessions", body });
      await first.kill();
      await finishWork(contender);
      const running = await contender.start();
      await untilSettled(running.pid);
      const idleMemory = residentBytesOf(running.pid) / 2 ** 20;
      const killed = await kill(contender, running);
      const started = { start: running.answeredMs, firstSession: first.answeredMs, idleMemory };
      collection.add(contender.name, [started, killed]);
    }
  }
}

/** A server that has to finish what a killed one has left starts more slowly, and is not idle. */
async function finishWork(contender: Contender): Promise<void> {
  const finishing = await contender.start();
  await untilSettled(finishing.pid);
  await finishing.kill();
}

async function kill(contender: Contender, running: Running): Promise<Readings> {
  const session = await openWarmSession(running);
  await session.sendUntil(`@stamp 100000 2 ${FIRST}`, SHOWN);
  const shown = session.stamps.slice(0, SHOWN).map(({ number }) => number);
  const killedAt = performance.now();
  await running.kill();
  session.close();
  const again = await contender.start();
  try {
    return await sendAgain(again, { id: session.id, shown, killedAt });
  } finally {
    await again.kill();
  }
}

async function sendAgain(
  { url }: Running,
  { id, shown, killedAt }: Readonly<{ id: string; shown: readonly number[]; killedAt: number }>,
): Promise<Readings> {
  const connection = await openConnection(url);
  const answered = Promise.withResolvers<number>();
  let text = "";
  const reader = await openEvents(url, `/api/sessions/${id}/events`, (bytes) => {
    text += bytes.toString("latin1");
    if (text.includes(`${NEXT}:`)) answered.resolve(performance.now());
  });
  await sendMessage(connection, id, `@stamp 1 0 ${NEXT}`);
  const recovery = (await answered.promise) - killedAt;
  reader.close();
  connection.close();
  const stored = new Set([...text.matchAll(/(\d+):\d{9,} /gu)].map(([, number]) => Number(number)));
  return { kept: shown.filter((number) => stored.has(number)).length, recovery };
}
