import type { Session } from "@holdfast/protocol";
import { z } from "zod";
import { isForPeople, questionOf } from "../questions.ts";
import { questionSchema } from "../run-result.ts";

export const summarySchema = z.object({
  id: z.string(),
  agentId: z.string().optional(),
  title: z.string().optional(),
  status: z.string().describe("active, suspended, archived or error"),
  state: z.string().describe("idle, running, or suspended: it waits"),
  phase: z.string(),
  repoId: z.string().optional(),
  agentName: z.string().optional(),
  purpose: z.string().optional(),
  provider: z.string().optional().describe("the agent of the next message"),
  model: z.string().optional(),
  queued: z.number(),
  waitsFor: z.array(questionSchema).describe("questions that a person has to answer"),
  lastOutcome: z.string().optional().describe("how the last run ended"),
  lastWords: z.string().optional(),
  lastActiveAt: z.string(),
});

/** What a model needs to know of a session to choose one. */
export function summaryOf(session: Session): z.infer<typeof summarySchema> {
  const { id, agentId, title, status, state, phase, repoId, agentName, purpose, queued } = session;
  const { next, suspensions, lastTurn, lastActiveAt } = session;
  return {
    id,
    status,
    state,
    phase,
    queued,
    lastActiveAt,
    waitsFor: suspensions.filter(isForPeople).map(questionOf),
    ...withoutNull({
      agentId,
      title,
      repoId,
      agentName,
      purpose,
      provider: next.provider,
      model: next.model,
      lastOutcome: lastTurn.outcome,
      lastWords: lastTurn.line,
    }),
  };
}

type WithoutNull<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], null> };

/** Models need not read what is not there. */
export function withoutNull<Fields extends object>(fields: Fields): WithoutNull<Fields>;
export function withoutNull(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** A result whose text is the same as its data, for models. */
export function dataResult(structuredContent: Readonly<Record<string, unknown>>) {
  const text = JSON.stringify(structuredContent, null, 2);
  return { content: [{ type: "text" as const, text }], structuredContent };
}
