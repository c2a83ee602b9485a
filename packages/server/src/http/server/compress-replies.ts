import type { FastifyReply, FastifyRequest } from "fastify";
import { pipeline, type Readable } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from "node:zlib";
import type { App } from "../app.ts";
import { acceptsEncoding } from "../wire/accepts-encoding.ts";
import { isFromSocket } from "./local-socket.ts";

/** Less than this fits into a few packets anyway. */
const MIN_LENGTH = 8_192;

const FAST_ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const FAST_GZIP = { level: constants.Z_BEST_SPEED };
const [zstd, brotli, zip] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)];

/** The fastest first. At these levels, text gets equally small. */
const ENCODINGS = [
  {
    name: "zstd",
    compress: (body: Body) => zstd(body, FAST_ZSTD),
    stream: () => createZstdCompress(FAST_ZSTD),
  },
  {
    name: "br",
    compress: (body: Body) => brotli(body, FAST_BROTLI),
    stream: () => createBrotliCompress(FAST_BROTLI),
  },
  {
    name: "gzip",
    compress: (body: Body) => zip(body, FAST_GZIP),
    stream: () => createGzip(FAST_GZIP),
  },
] as const;

type Body = string | Buffer;

/**
 * Compresses long replies to reads for clients that accept it. The reply to a write may hold a new secret beside text of the
 * client, and then its length would tell about the secret. Streams are sent as they are, unless their route compresses them.
 */
export function compressReplies(app: App): void {
  app.addHook("onSend", async (request, reply, body) => {
    const isLong = (typeof body === "string" || Buffer.isBuffer(body)) && body.length >= MIN_LENGTH;
    if (!isLong || request.method !== "GET") return body;
    reply.header("vary", "accept-encoding");
    const encoding = reply.hasHeader("content-encoding") ? undefined : encodingFor(request);
    if (encoding === undefined) return body;
    const compressed = await encoding.compress(body);
    reply.header("content-encoding", encoding.name).removeHeader("content-length");
    return compressed;
  });
}

/** Compresses a long stream for a client that accepts it. */
export function compressStream(
  stream: Readable,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Readable {
  reply.header("vary", "accept-encoding");
  const encoding = encodingFor(request);
  if (encoding === undefined) return stream;
  reply.header("content-encoding", encoding.name);
  // A failure of the stream destroys the result with the same error.
  return pipeline(stream, encoding.stream(), () => {});
}

/** Programs on the server's Unix socket are on its machine, where compressing takes longer than sending. */
function encodingFor(request: FastifyRequest): (typeof ENCODINGS)[number] | undefined {
  if (isFromSocket(request.raw)) return undefined;
  return ENCODINGS.find(({ name }) => acceptsEncoding(request, name));
}
