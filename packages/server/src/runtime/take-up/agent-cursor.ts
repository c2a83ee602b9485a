import type { OutputPlace } from "../../providers/provider.ts";

/** How much of an agent's output is stored, as one text: it is written with every piece of output. */
export function writeCursor({ agent, offset, index }: OutputPlace): string {
  return `${agent} ${offset} ${index}`;
}

export function readCursor(cursor: string | null): OutputPlace | null {
  const [agent = "", offset, index] = (cursor ?? "").split(" ");
  const place = { agent, offset: Number(offset), index: Number(index) };
  return Number.isSafeInteger(place.offset) && Number.isSafeInteger(place.index) ? place : null;
}
