import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { isFromSocket } from "../server/local-socket.ts";
import type { DoorCaller } from "./door-caller.ts";

export function doorCallerOf({
  raw,
  headers,
}: Pick<FastifyRequest, "raw" | "headers">): DoorCaller {
  const authorization = headers.authorization ?? null;
  const via = isFromSocket(raw) ? "socket" : "address";
  const key = createHash("sha256")
    .update(`${via} ${authorization ?? ""}`)
    .digest("base64url");
  return { key, via, authorization };
}
