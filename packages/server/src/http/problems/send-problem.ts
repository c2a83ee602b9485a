import type { Problem } from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import type { Reply } from "../../runtime/reply.ts";
import { problemFromRefusal } from "./problem-status.ts";

/** Seconds after which the same request may be worth sending again. */
const RETRY_AFTER: Readonly<Record<number, string>> = { 429: "60", 503: "5" };

type AnyReply = Pick<FastifyReply, "code" | "header" | "type" | "send">;

export function sendProblem(reply: AnyReply, problem: Problem): FastifyReply {
  const retryAfter = RETRY_AFTER[problem.status];
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  // What was not read of a body that is too large is not worth reading.
  if (problem.status === 413) reply.header("connection", "close");
  return reply.code(problem.status).type("application/problem+json").send(problem);
}

export function sendRefusal(
  reply: AnyReply,
  { refusal }: Extract<Reply<unknown>, { ok: false }>,
): FastifyReply {
  return sendProblem(reply, problemFromRefusal(refusal));
}
