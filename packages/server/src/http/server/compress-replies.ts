import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { App } from "../app.ts";
import { acceptsEncoding } from "../wire/accepts-encoding.ts";

/** Less than this fits into a few packets anyway. */
const MIN_LENGTH = 8_192;
const compress = promisify(gzip);

/** Compresses long replies for clients that accept it. Streams are sent as they are. */
export function compressReplies(app: App): void {
  app.addHook("onSend", async (request, reply, body) => {
    if (typeof body !== "string" || body.length < MIN_LENGTH) return body;
    reply.header("vary", "accept-encoding");
    if (reply.hasHeader("content-encoding") || !acceptsEncoding(request, "gzip")) return body;
    const compressed = await compress(body, { level: constants.Z_BEST_SPEED });
    reply.header("content-encoding", "gzip").removeHeader("content-length");
    return compressed;
  });
}
