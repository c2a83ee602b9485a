import type { DoorCaller } from "./door-caller.ts";

/** Answers clients of the Model Context Protocol. The composition root provides it. */
export interface McpDoor {
  /** `body`: the parsed body of a POST. The signal of the request aborts when the client has gone. */
  handle(request: Request, body: unknown, caller: DoorCaller): Promise<Response>;
  close(): Promise<void>;
}
