import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Who uses `/acp`. */
export interface EditorCaller {
  /** Equal for requests of the same caller. */
  readonly key: string;
  /** Whether it came over the server's Unix socket, where no token is needed. */
  readonly via: "socket" | "address";
  /** The `Authorization` of its requests; null if it has none. */
  readonly authorization: string | null;
}

/** Answers editors that speak the Agent Client Protocol. The composition root provides it. */
export interface EditorDoor {
  handle(request: IncomingMessage, response: ServerResponse, caller: EditorCaller): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: EditorCaller): void;
  close(): Promise<void>;
}
