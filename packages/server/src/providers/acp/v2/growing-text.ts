import { createHash, type Hash } from "node:crypto";

/** A text that comes in pieces and may come again as a whole. Only its length and a hash are kept. */
export class GrowingText {
  #length = 0;
  readonly #hash: Hash = createHash("sha256");

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#hash.update(piece, "utf16le");
  }

  /** The part of the whole that has not come yet; null if the whole is another text. */
  restOf(whole: string): string | null {
    if (whole.length < this.#length) return null;
    const hash = createHash("sha256").update(whole.slice(0, this.#length), "utf16le");
    const isSame = hash.digest().equals(this.#hash.copy().digest());
    return isSame ? whole.slice(this.#length) : null;
  }
}
