import type {
  Changes as WireChanges,
  ChangesQuery,
  FileDiff,
  RewindReply,
  rewindRequestSchema,
} from "@holdfast/protocol";
import type { z } from "zod";
import { defined } from "../../domain/defined.ts";
import type {
  Changes,
  FileDiffReply,
  RangeQuery,
  RewindSession,
  Rewound,
} from "../../runtime/runtime.ts";
import { toWireRewind } from "./to-wire.ts";

export function fromWireRange(sessionId: string, { run, since }: ChangesQuery): RangeQuery {
  return { sessionId, ...defined({ run, since }) };
}

export function toWireChanges(changes: Changes): WireChanges {
  const { available, reason, isLive, counts, files, isCut, tooLarge } = changes;
  return { available, reason, isLive, counts, files: [...files], isCut, tooLarge };
}

export function toWireFileDiff({ path, patch, isCut }: FileDiffReply): FileDiff {
  return { path, patch, isCut };
}

export function fromWireRewind(
  body: z.output<typeof rewindRequestSchema>,
): Omit<RewindSession, "sessionId" | "version"> {
  const { run, undo = "", ...rest } = body;
  return { ...rest, to: run === undefined ? { undo } : { run } };
}

export function toWireRewound({ rewind, runs, files, kept }: Rewound): RewindReply {
  return {
    rewind: rewind && toWireRewind(rewind),
    runs: [...runs],
    files: [...files],
    kept: [...kept],
  };
}
