import type { OpenSuspension } from "@holdfast/protocol";
import { approvalOf } from "../../approvals/approval.ts";
import type { FileChange } from "../../approvals/change-view.tsx";
import { headlineOf } from "../../approvals/headline.ts";
import { waitsFor } from "../rows/waits-for.ts";

/** The kinds of tool calls that change files; agents may leave the kind out. */
const CHANGING: ReadonlySet<string> = new Set(["edit", "delete", "move", "other"]);

/** Whether the tool call of a request may have changes. */
export function hasChanges(suspension: OpenSuspension): boolean {
  const approval = approvalOf(suspension);
  return approval.ask === "choice" && CHANGING.has(approval.subject.kind ?? "other");
}

/** The request in one line, as the title of its card says it; a command is never shortened. */
export function requestText(suspension: OpenSuspension, changes: readonly FileChange[]): string {
  const approval = approvalOf(suspension);
  if (suspension.kind === "question") return oneLine(approval.title);
  if (approval.ask !== "choice" || suspension.kind !== "permission") return waitsFor(suspension);
  const { subject } = approval;
  if (subject.command !== null && subject.kind === "execute")
    return `Run ${oneLine(subject.command)}`;
  const { title, code, counts, kind } = headlineOf(approval, changes);
  const parts = [
    kind === null ? "" : `${kind}:`,
    title.replaceAll("`", ""),
    code ?? "",
    counts === null ? "" : `+${counts.added} −${counts.removed}`,
  ];
  return oneLine(parts.filter((part) => part !== "").join(" "));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}
