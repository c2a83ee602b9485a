/** What a message asks of the agent: so many numbered pieces, or with none a single answer after a while. */
export interface Work {
  readonly tag: string;
  readonly count: number;
  /** From piece to piece, or until the answer. */
  readonly everyMs: number;
}

export function toPrompt(work: Work): string {
  return JSON.stringify(work);
}

export function parseWork(text: string): Work {
  const { tag, count, everyMs }: Partial<Work> = JSON.parse(text);
  if (tag === undefined || count === undefined || everyMs === undefined)
    throw new Error(`this is no work: ${text}`);
  return { tag, count, everyMs };
}

/** One piece: its number, and the moment by the clock that all processes of a machine share. */
export function stampOf(number: number): string {
  return `${number}:${process.hrtime.bigint()} `;
}

export interface Stamp {
  readonly number: number;
  readonly nanoseconds: bigint;
}

export function readStamps(text: string): readonly Stamp[] {
  return Array.from(text.matchAll(/(\d+):(\d+) /gu), ([, number, nanoseconds]) => ({
    number: Number(number),
    nanoseconds: BigInt(nanoseconds ?? 0),
  }));
}
