/** The work a message requests: `count` numbered pieces or, with 0, a single answer after `everyMs`. */
export interface Work {
  readonly tag: string;
  readonly count: number;
  /** Time between pieces, or until the answer. */
  readonly everyMs: number;
}

export function toPrompt(work: Work): string {
  return JSON.stringify(work);
}

export function parseWork(text: string): Work {
  const { tag, count, everyMs }: Partial<Work> = JSON.parse(text);
  if (tag === undefined || count === undefined || everyMs === undefined)
    throw new Error(`not a description of work: ${text}`);
  return { tag, count, everyMs };
}

/** One piece: its number, and the time by the clock that all processes of a machine share. */
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
