import type { FastifyInstance, FastifyReply } from "fastify";
import type { Feed, FeedReader } from "../../runtime/runtime.ts";
import type { Reply } from "../../runtime/reply.ts";
import { createEventEncoder } from "./event-encoder.ts";
import { EventStream } from "./event-stream.ts";
import { toProblem } from "../problems/problem-status.ts";
import { sendProblem, sendRefusal } from "../problems/send-problem.ts";

/** Opens a feed and streams it, or sends the refusal. */
type StreamFeed = (
  reply: FastifyReply,
  openFeed: (reader: FeedReader) => Promise<Reply<{ readonly feed: Feed }>>,
) => Promise<FastifyReply>;

/** All event streams of a server. They share a heartbeat, and end when the server closes. */
export function addEventStreams(
  app: FastifyInstance,
  { heartbeatMs, limit }: { readonly heartbeatMs: number; readonly limit: number },
): StreamFeed {
  const streams = new Set<EventStream>();
  const encode = createEventEncoder();
  const heartbeat = setInterval(() => {
    for (const stream of streams) stream.beat();
  }, heartbeatMs);
  heartbeat.unref();
  app.addHook("preClose", async () => {
    clearInterval(heartbeat);
    for (const stream of streams) stream.close();
  });

  return async (reply, openFeed) => {
    if (streams.size >= limit)
      return sendProblem(
        reply,
        toProblem("streams_full", `All ${limit} event streams of this server are in use.`),
      );
    const stream: EventStream = new EventStream(reply.raw, {
      encode,
      onClose: () => streams.delete(stream),
    });
    streams.add(stream);
    const opened = await openFeed(stream);
    if (!opened.ok) return sendRefusal(reply, opened);
    reply.hijack();
    stream.start(opened.feed, reply.getHeaders());
    return reply;
  };
}
