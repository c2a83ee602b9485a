import { toEtag } from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import type { SessionSnapshot } from "../../runtime/session-snapshot.ts";
import type { Reply } from "../../runtime/reply.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireSession } from "./to-wire.ts";

type SessionReply = Reply<{ readonly session: SessionSnapshot }>;
type AnyReply = Pick<FastifyReply, "code" | "header" | "headers" | "type" | "send">;

/** A session with the tag of its version, or why there is none. */
export function sendSession(reply: AnyReply, result: SessionReply): FastifyReply {
  if (!result.ok) return sendRefusal(reply, result);
  const { session } = result;
  return reply.code(200).header("etag", toEtag(session.version)).send(toWireSession(session));
}

/** The same for a session that is new. */
export function sendNewSession(reply: AnyReply, result: SessionReply): FastifyReply {
  if (!result.ok) return sendRefusal(reply, result);
  const { session } = result;
  return reply.code(201).headers(newSessionHeaders(session)).send(toWireSession(session));
}

export function newSessionHeaders({ id, version }: SessionSnapshot): Record<string, string> {
  return { location: `/api/sessions/${encodeURIComponent(id)}`, etag: toEtag(version) };
}
