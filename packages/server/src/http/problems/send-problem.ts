import type { Problem } from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Reply } from "../../runtime/reply.ts";
import { problemFromRefusal, toProblem } from "./problem-status.ts";

/** Seconds after which a client may retry. */
const RETRY_AFTER: Readonly<Record<number, string>> = { 429: "60", 503: "5" };

type AnyReply = Pick<FastifyReply, "code" | "header" | "type" | "send">;

export function sendProblem(reply: AnyReply, problem: Problem): FastifyReply {
  const retryAfter = RETRY_AFTER[problem.status];
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  // The server does not read the rest of a body that is too large.
  if (problem.status === 413) reply.header("connection", "close");
  return reply.code(problem.status).type("application/problem+json").send(problem);
}

export function sendRefusal(
  reply: AnyReply,
  { refusal }: Extract<Reply<unknown>, { ok: false }>,
): FastifyReply {
  return sendProblem(reply, problemFromRefusal(refusal));
}

// By hand, because an import of "node:http" makes Node load its HTTP client too: 30 ms at every start.
const CLIENT_ERROR_STATUS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};

/** Answers bytes that are not HTTP. There is no reply object, only the socket. */
export function answerClientError({ code = "" }: { readonly code?: string }, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, reason] = CLIENT_ERROR_STATUS[code] ?? [400, "Bad Request"];
  const problem = { ...toProblem("invalid_request", "This is not a valid HTTP request."), status };
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      "content-type: application/problem+json",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
    () => socket.destroy(),
  );
}

/** Answers an `Expect` header that is not `100-continue`. Node would answer without a problem document. */
export function answerExpectation(
  _request: unknown,
  response: Pick<ServerResponse, "writeHead" | "end">,
): void {
  const status = 417;
  const detail = "The server knows no expectation but 100-continue.";
  const body = JSON.stringify({ ...toProblem("invalid_request", detail), status });
  response.writeHead(status, {
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  response.end(body);
}
