import { toEtag } from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import type { Reply } from "../../runtime/reply.ts";
import type { SessionSnapshot } from "../../runtime/session-snapshot.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireSession } from "./to-wire.ts";

type AnyReply = Pick<FastifyReply, "code" | "header" | "headers" | "type" | "send">;
type SessionReply = Reply<{ readonly session: SessionSnapshot }>;

/** Sends the body made from a result, or the refusal as a problem. */
export function sendReply<Value>(
  reply: AnyReply,
  result: Reply<Value>,
  toBody: (value: Value) => unknown,
  status = 200,
): FastifyReply {
  if (!result.ok) return sendRefusal(reply, result);
  return reply.code(status).send(toBody(result));
}

/** Sends a session with its ETag. */
export function sendSession(reply: AnyReply, result: SessionReply): FastifyReply {
  if (result.ok) reply.header("etag", toEtag(result.session.version));
  return sendReply(reply, result, ({ session }) => toWireSession(session));
}

export function sendNewSession(reply: AnyReply, result: SessionReply): FastifyReply {
  if (result.ok) reply.headers(newSessionHeaders(result.session));
  return sendReply(reply, result, ({ session }) => toWireSession(session), 201);
}

export function newSessionHeaders({ id, version }: SessionSnapshot): Record<string, string> {
  return { location: `/api/sessions/${encodeURIComponent(id)}`, etag: toEtag(version) };
}
