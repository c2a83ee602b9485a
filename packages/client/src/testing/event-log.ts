import type { IncomingMessage, ServerResponse } from "node:http";
import { startEventStream } from "./test-server.ts";

/** The events of one log entry. The last one has the ID. */
export interface Entry {
  readonly seq: number;
  readonly events: readonly { readonly name: string; readonly data: unknown }[];
}

export function encodeEntry({ seq, events }: Entry, ending = "\n"): string {
  return events
    .map(({ name, data }, index) => {
      const id = index === events.length - 1 ? [`id: ${seq}`] : [];
      // One line of data per line of JSON text.
      const lines = JSON.stringify(data, null, seq % 2).split("\n");
      return [...id, `event: ${name}`, ...lines.map((line) => `data: ${line}`), "", ""].join(
        ending,
      );
    })
    .join(`: still here${ending}${ending}`);
}

/** The position from which a returning reader continues. */
export function positionOf(request: IncomingMessage): number {
  return Number(request.headers["last-event-id"] ?? 0);
}

/** The failure of one connection. */
export interface Cut {
  readonly afterBytes: number;
  /** `end` is clean. `destroy` may lose data that is being sent. */
  readonly how: "end" | "destroy" | "unavailable";
  /** Number of entries that it sends again. */
  readonly repeats: number;
}

/** Sends the entries after the reader's position, until the connection is cut. */
export function answerUntilCut(
  response: ServerResponse,
  { bytes, cut }: { bytes: Buffer; cut: Cut | undefined },
): void {
  if (cut?.how === "unavailable") return void response.writeHead(503).end("busy");
  startEventStream(response);
  if (cut === undefined) return void response.write(bytes);
  const part = bytes.subarray(0, cut.afterBytes);
  if (cut.how === "end") response.end(part);
  else response.write(part, () => response.destroy());
}
