import { lexBlocks, type Block } from "./lex-blocks.ts";

export type GrowingBlocks = ReturnType<typeof createGrowingBlocks>;

/**
 * Parses only the end of a growing text again. In rare cases much later text changes where a block ends, so a complete
 * text is parsed once more as a whole.
 */
export function createGrowingBlocks() {
  /** Blocks that more text cannot change; their objects are stable. */
  const stable: Block[] = [];
  /** Blocks that more text can change. */
  let tail: readonly Block[] = [];
  /** The offset of the tail. */
  let from = 0;
  return {
    stable,
    get tail(): readonly Block[] {
      return tail;
    },
    /** Parses the whole current text, which extends the previous one. */
    grow(text: string): void {
      const blocks = lexBlocks(text.slice(from), from);
      const settled = countSettled(blocks);
      stable.push(...blocks.slice(0, settled));
      tail = blocks.slice(settled);
      from = tail[0]?.start ?? from;
    },
  };
}

/**
 * A block is settled when another block follows whose first line is complete: until then that line may still belong to
 * the block before.
 */
function countSettled(blocks: readonly Block[]): number {
  const last = blocks.length - 1;
  return Math.max(0, blocks[last]?.raw.includes("\n") === true ? last : last - 1);
}
