import type { Socket } from "node:net";
import { toProblem } from "./problem-status.ts";

const NOT_HTTP = { status: 400, reason: "Bad Request" };
const ANSWERS: Readonly<Record<string, typeof NOT_HTTP>> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: "Request Header Fields Too Large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: "Request Timeout" },
};

/** Bytes that are no HTTP request: there is no route and no reply object, only the socket. */
export function answerClientError(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, reason } = ANSWERS[error.code ?? ""] ?? NOT_HTTP;
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
