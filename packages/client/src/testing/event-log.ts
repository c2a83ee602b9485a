import type { IncomingMessage, ServerResponse } from "node:http";
import { startEventStream } from "./test-server.ts";

/** What one entry of a log brings: events that belong together, the last of them with the id. */
export interface Entry {
  readonly seq: number;
  readonly events: readonly { readonly name: string; readonly data: unknown }[];
}

export function encodeEntry({ seq, events }: Entry, ending = "\n"): string {
  return events
    .map(({ name, data }, index) => {
      const id = index === events.length - 1 ? [`id: ${seq}`] : [];
      // As many lines of data as there are in the text: JSON may be spread over several.
      const lines = JSON.stringify(data, null, seq % 2).split("\n");
      return [...id, `event: ${name}`, ...lines.map((line) => `data: ${line}`), "", ""].join(
        ending,
      );
    })
    .join(`: still here${ending}${ending}`);
}

/** Where a reader that comes back wants to go on. */
export function positionOf(request: IncomingMessage): number {
  return Number(request.headers["last-event-id"] ?? 0);
}

/** How one connection goes before all is well. */
export interface Cut {
  readonly afterBytes: number;
  /** `end` is clean, `destroy` may take what is under way with it. */
  readonly how: "end" | "destroy" | "unavailable";
  /** How many entries it repeats that the reader has already. */
  readonly repeats: number;
}

/** Sends what comes after the reader's position, up to the cut. */
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
