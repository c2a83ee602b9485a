import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { DoorCaller } from "./door-caller.ts";

/** Answers editors that speak the Agent Client Protocol. The composition root provides it. */
export interface EditorDoor {
  handle(request: IncomingMessage, response: ServerResponse, caller: DoorCaller): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: DoorCaller): void;
  close(): Promise<void>;
}
