import { client } from "../../api/client.ts";
import { nowOf } from "../../transcript/now/now.ts";
import type { Step, Watched } from "./steps.ts";

/** Reads the end of a session, and its run unless that is known. */
export async function readStep(session: Watched, before: Step | null): Promise<Step> {
  const isKnown = before !== null && before.turnAt === session.turnAt && before.isHanded;
  const [{ messages }, run] = await Promise.all([
    client.sessions.get(session.id, { tail: 1 }),
    isKnown ? before : readRun(session),
  ]);
  const { since, isHanded, turnAt } = run;
  return { now: nowOf(messages), since, isHanded, turnAt };
}

async function readRun({ id, turnAt }: Watched): Promise<Omit<Step, "now">> {
  const { runs } = await client.sessions.runs(id, { status: ["running"], limit: 1 });
  const [run] = runs;
  return {
    turnAt,
    since: run?.startedAt ?? turnAt,
    isHanded: run !== undefined && run.memory !== null,
  };
}
