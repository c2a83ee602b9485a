import { errorText } from "@holdfast/client";
import type { Session } from "@holdfast/protocol";
import { Archive, Download, Trash2, X } from "lucide-react";
import { type ReactElement, useState } from "react";
import { client } from "../api/client.ts";
import { saveBundle } from "../app/save-bundle.ts";
import { useVerbs } from "../app/verbs.ts";
import { announce } from "../app/announce.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { showToast } from "../ui/toast.ts";
import { canArchive } from "./archive-sessions.ts";

/** The actions on the selected sessions. */
export function SelectionBar({
  sessions,
  total,
  hasMore,
  onSelectAll,
  onArchive,
  onClear,
}: {
  readonly sessions: readonly Session[];
  /** How many sessions are in the list so far. */
  readonly total: number;
  /** The server has more, which are read when somebody scrolls to them. */
  readonly hasMore: boolean;
  readonly onSelectAll: () => void;
  readonly onArchive: (ids: readonly string[]) => void;
  readonly onClear: () => void;
}): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const open = sessions.filter(canArchive).map(({ id }) => id);
  const each = async (work: (id: string) => Promise<unknown>, words: Words): Promise<void> => {
    setBusy(true);
    await workThrough(sessions, work, words);
    setBusy(false);
  };
  const exportAll = (): void => void each(saveBundle, EXPORTED);
  const deleteAll = (): void => {
    setAsking(false);
    void each((id) => client.sessions.delete(id), DELETED).then(onClear);
  };
  const shown = total.toLocaleString("en");
  const all = hasMore ? `Select all ${shown} shown` : `Select all (${shown})`;
  useVerbs(`Selection (${sessions.length})`, [
    { label: "Archive the selection", keys: "E", onSelect: () => onArchive(open) },
    { label: "Export the selection", onSelect: exportAll },
    { label: "Delete the selection…", onSelect: () => setAsking(true) },
    { label: all, onSelect: onSelectAll },
    { label: "Clear selection", keys: "Esc", onSelect: onClear },
  ]);
  const count = countText(sessions.length);
  return (
    <div
      role="toolbar"
      aria-label="Selected sessions"
      className="mx-3 mb-2 flex flex-wrap items-center gap-1 rounded-md bg-accent-soft py-1 pr-1 pl-3"
    >
      <span className="mr-auto font-medium whitespace-nowrap">
        {sessions.length.toLocaleString("en")} selected
      </span>
      {sessions.length < total && (
        <Button size="small" tone="quiet" onClick={onSelectAll}>
          {all}
        </Button>
      )}
      <Button
        size="small"
        icon={<Archive size={14} aria-hidden="true" />}
        disabled={open.length === 0}
        onClick={() => onArchive(open)}
      >
        Archive{open.length === sessions.length ? "" : ` ${open.length}`}
      </Button>
      <Button
        size="small"
        icon={<Download size={14} aria-hidden="true" />}
        busy={isBusy}
        onClick={exportAll}
      >
        Export
      </Button>
      <Button
        size="small"
        icon={<Trash2 size={14} aria-hidden="true" />}
        busy={isBusy}
        onClick={() => setAsking(true)}
      >
        Delete…
      </Button>
      <IconButton size="small" label="Clear selection" onClick={onClear}>
        <X size={15} aria-hidden="true" />
      </IconButton>
      <ConfirmDialog
        open={isAsking}
        title={`Delete ${count}?`}
        confirm={`Delete ${count}`}
        onConfirm={deleteAll}
        onClose={() => setAsking(false)}
      >
        {sessions.length === 1 ? "It is" : "They are"} deleted permanently, with all messages.
        Running work is stopped. Archive or export instead to keep{" "}
        {sessions.length === 1 ? "it" : "them"}.
      </ConfirmDialog>
    </div>
  );
}

interface Words {
  readonly done: string;
  readonly failed: string;
}

const EXPORTED: Words = { done: "exported", failed: "Not exported" };
const DELETED: Words = { done: "deleted", failed: "Not deleted" };

/** One after the other; what failed is told once, with the first reason. */
async function workThrough(
  sessions: readonly Session[],
  work: (id: string) => Promise<unknown>,
  { done, failed }: Words,
): Promise<void> {
  const reasons: string[] = [];
  for (const { id } of sessions) {
    try {
      await work(id);
    } catch (error) {
      reasons.push(errorText(error));
    }
  }
  const count = sessions.length - reasons.length;
  const text = `${countText(count)} ${done}`;
  announce(text);
  if (count > 0) await showToast({ text });
  if (reasons.length > 0)
    await showToast({
      text: `${failed}: ${countText(reasons.length)}. ${reasons[0]}`,
      tone: "danger",
      durationMs: 8_000,
    });
}

function countText(count: number): string {
  return count === 1 ? "1 session" : `${count.toLocaleString("en")} sessions`;
}
