import type { RewindReply, Session } from "@holdfast/protocol";
import { filesText } from "../changes/counts.ts";

type Kept = RewindReply["kept"][number];

/** What happens to files, as a dry run says it. */
export interface FilePlan {
  readonly restored: RewindReply["files"];
  readonly removed: RewindReply["files"];
  readonly kept: readonly Kept[];
  /** Whether something is kept only because somebody else changed it. */
  readonly hasOthers: boolean;
}

export function filePlanOf({ files, kept }: Pick<RewindReply, "files" | "kept">): FilePlan {
  return {
    restored: files.filter(({ change }) => change !== "deleted"),
    removed: files.filter(({ change }) => change === "deleted"),
    kept,
    hasOthers: kept.some(({ reason }) => reason === "edited_since"),
  };
}

const REASONS = {
  edited_since: "somebody else has changed it since",
  in_the_way: "a file that stays is in its place",
  ignored: "Git ignored it at that time",
  submodule: "it is a repository of its own",
} as const satisfies Record<Kept["reason"], string>;

export function keptText({ reason }: Kept): string {
  return REASONS[reason];
}

/** What leaves the conversation. */
export function runsText(count: number): string {
  if (count === 0) return "No message leaves the conversation.";
  return count === 1
    ? "1 message and its answer leave the conversation:"
    : `${count.toLocaleString("en")} messages and their answers leave the conversation:`;
}

/** What the page says about the last rewind; null for nothing. */
export type RewindNews =
  | { readonly news: "restoring" }
  | { readonly news: "done"; readonly rewindId: string }
  | { readonly news: "failed"; readonly error: string };

export function newsOf({ rewind }: Pick<Session, "rewind">): RewindNews | null {
  if (rewind === null) return null;
  switch (rewind.status) {
    case "restoring":
      return { news: "restoring" };
    case "failed":
      return { news: "failed", error: rewind.error ?? "The reason is not known." };
    case "done":
      return rewind.undoes === null ? { news: "done", rewindId: rewind.id } : null;
    default:
      return rewind.status satisfies never;
  }
}

/** What a rewind left as it was; null for nothing. */
export function keptNews({ kept }: Pick<RewindReply, "kept">): string | null {
  if (kept.length === 0) return null;
  return `${filesText(kept.length)} ${kept.length === 1 ? "stays as it is" : "stay as they are"}.`;
}
