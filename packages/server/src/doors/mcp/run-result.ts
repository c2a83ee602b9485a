import type { CallToolResult } from "@modelcontextprotocol/server";
import { RUN_STATUSES } from "@holdfast/protocol";
import { z } from "zod";
import { titleOf } from "../choices.ts";
import { isForPeople, questionOf } from "./questions.ts";
import { failureOf, isEnded, type ObservedRun } from "./runs.ts";

export const questionSchema = z.object({
  id: z.string().describe("of the question, for the tool answer"),
  kind: z.string(),
  title: z.string(),
  options: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe("answers to choose from"),
});

export const runResultSchema = z.object({
  session: z.string().describe("ID of the session"),
  run: z.string().describe("ID of the run, for the tools wait and cancel"),
  status: z
    .enum(RUN_STATUSES)
    .describe("queued and running: not finished; suspended: it waits for an answer or an event"),
  answer: z.string().describe("what the agent said since its last tool call"),
  answerCut: z.boolean().describe("true if only the end of the answer is given"),
  waitsFor: z.array(questionSchema).describe("questions that a person has to answer"),
});

/** The result of a tool that asked for a run. A run that did not do its work is an error of the tool. */
export function runResult({ run, open }: ObservedRun): CallToolResult {
  const isError = isEnded(run.status) && run.status !== "completed";
  const structuredContent: z.infer<typeof runResultSchema> = {
    session: run.sessionId,
    run: run.id,
    status: run.status,
    answer: run.answer,
    answerCut: run.answerCut,
    waitsFor: open.filter(isForPeople).map(questionOf),
  };
  const text = isError
    ? [failureOf(run), run.answer].filter((part) => part !== "").join("\n\n")
    : textOf();
  return { content: [{ type: "text", text }], structuredContent, ...(isError && { isError }) };

  function textOf(): string {
    if (run.status === "completed") return run.answer === "" ? "Done, without a word." : run.answer;
    const state = statusMessage({ run, open });
    return `${state} Call wait with session ${run.sessionId} and run ${run.id} to go on waiting.`;
  }
}

/** What happens in a run that has not ended, as a sentence. */
export function statusMessage({ run, open }: Pick<ObservedRun, "run" | "open">): string {
  if (run.status === "queued") return "The message waits in the queue of the session.";
  const question = open.find(isForPeople);
  if (question !== undefined)
    return `A person has to answer, in Holdfast or with the tool answer (question ${question.id}): ${titleOf(question)}`;
  const [first] = open;
  if (first !== undefined) return `The agent waits for something outside: ${titleOf(first)}`;
  return run.step === null ? "The agent works." : `The agent works: ${run.step}`;
}
