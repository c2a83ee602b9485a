import path from "node:path";
import type { TracedCall } from "./trace-writes.ts";

type DiskCall = Exclude<TracedCall, { readonly call: "send" }>;
type Change = Exclude<DiskCall, { readonly call: "sync" }>;

/** How much of the unsynced writes survives a power loss. */
export const LOSSES = [
  "nothing of it",
  "all of it",
  "some writes",
  "some sectors",
  "the beginning",
] as const;
export type Loss = (typeof LOSSES)[number];

const SECTOR_BYTES = 512;

/** The files of a folder on a disk that writes at any time, and must have written everything that was synced. */
export class PowerlessDisk {
  readonly #files = new Map<string, Image>();
  readonly #pending: Change[] = [];

  /** Starts with these files, all of them synced. */
  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [name, bytes] of files) this.#files.set(name, imageOf(bytes));
  }

  get pending(): number {
    return this.#pending.length;
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  do(call: DiskCall): void {
    if (call.call !== "sync") {
      if (this.has(call.file)) this.#pending.push(call);
      return;
    }
    const isSynced = (change: Change): boolean =>
      call.file === (change.call === "remove" ? path.dirname(change.file) : change.file);
    const synced = this.#pending.filter(isSynced);
    const others = this.#pending.filter((change) => !isSynced(change));
    for (const change of synced) this.#apply(this.#files, change);
    this.#pending.splice(0, this.#pending.length, ...others);
  }

  /** The files after the power is back. */
  afterPowerLoss(loss: Loss, random: () => number): ReadonlyMap<string, Buffer> {
    const files = new Map([...this.#files].map(([name, image]) => [name, copyOf(image)]));
    for (const change of survivorsOf(this.#pending, { loss, random })) this.#apply(files, change);
    return new Map([...files].map(([name, { bytes, size }]) => [name, bytes.subarray(0, size)]));
  }

  #apply(files: Map<string, Image>, change: Change): void {
    const image = files.get(change.file);
    if (image === undefined) return;
    if (change.call === "remove") files.delete(change.file);
    else if (change.call === "truncate") resize(image, change.size);
    else {
      resize(image, Math.max(image.size, change.at + change.bytes.length));
      change.bytes.copy(image.bytes, change.at);
    }
  }
}

function survivorsOf(
  pending: readonly Change[],
  { loss, random }: { readonly loss: Loss; readonly random: () => number },
): readonly Change[] {
  const share = random();
  switch (loss) {
    case "nothing of it":
      return [];
    case "all of it":
      return pending;
    case "the beginning":
      return pending.slice(0, Math.floor(share * (pending.length + 1)));
    case "some writes":
      return pending.filter(() => random() < share);
    case "some sectors":
      return pending.flatMap((change) =>
        (change.call === "write" ? sectorsOf(change) : [change]).filter(() => random() < share),
      );
    default:
      return loss satisfies never;
  }
}

/** A disk writes whole sectors, but not always all sectors of one write. */
function sectorsOf({ file, at, bytes }: Extract<Change, { call: "write" }>): readonly Change[] {
  const sectors: Change[] = [];
  for (let begin = at; begin < at + bytes.length;) {
    const end = Math.min((Math.floor(begin / SECTOR_BYTES) + 1) * SECTOR_BYTES, at + bytes.length);
    sectors.push({ call: "write", file, at: begin, bytes: bytes.subarray(begin - at, end - at) });
    begin = end;
  }
  return sectors;
}

/** A buffer with spare capacity, so that it is not copied each time it grows. */
interface Image {
  bytes: Buffer;
  size: number;
}

function imageOf(bytes: Buffer): Image {
  return { bytes: Buffer.from(bytes), size: bytes.length };
}

function copyOf({ bytes, size }: Image): Image {
  return imageOf(bytes.subarray(0, size));
}

function resize(image: Image, size: number): void {
  if (size > image.bytes.length) {
    const larger = Buffer.alloc(Math.max(size, image.bytes.length * 2));
    image.bytes.copy(larger, 0, 0, image.size);
    image.bytes = larger;
  }
  if (size < image.size) image.bytes.fill(0, size, image.size);
  image.size = size;
}
