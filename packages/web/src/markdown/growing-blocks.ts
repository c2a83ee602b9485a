import { lexBlocks, type Block } from "./lex-blocks.ts";

export interface GrowingBlocks {
  /** Those that more text will not change; each stays the same object. */
  readonly stable: readonly Block[];
  /** Those that it may. */
  readonly tail: readonly Block[];
  /** Takes the text as it is now: what it was, and more. */
  grow(text: string): void;
}

/**
 * Reads only the end of a growing text again. Where blocks end can depend on what follows much later, rarely: a text that
 * is complete is read once more as a whole.
 */
export function createGrowingBlocks(): GrowingBlocks {
  const stable: Block[] = [];
  let tail: readonly Block[] = [];
  /** Where the tail begins. */
  let from = 0;
  return {
    stable,
    get tail() {
      return tail;
    },
    grow(text) {
      const blocks = lexBlocks(text.slice(from), from);
      const settled = countSettled(blocks);
      stable.push(...blocks.slice(0, settled));
      tail = blocks.slice(settled);
      from = tail[0]?.start ?? from;
    },
  };
}

/**
 * A block is settled when another one follows whose first line is whole: until then that line may turn out to go on with
 * the one before it.
 */
function countSettled(blocks: readonly Block[]): number {
  const last = blocks.length - 1;
  return Math.max(0, blocks[last]?.raw.includes("\n") === true ? last : last - 1);
}
