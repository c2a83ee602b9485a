import type { Session } from "@holdfast/protocol";
import {
  Archive,
  Copy,
  Download,
  Ellipsis,
  FileDiff,
  GitFork,
  Link as LinkIcon,
  Play,
  Search,
  Trash2,
} from "lucide-react";
import { useState, type ReactElement } from "react";
import { sessionName } from "../api/session-name.ts";
import { archiveSessions, canArchive, isQuiet } from "../list/archive-sessions.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { MenuItems } from "../ui/menu-list.tsx";
import { Menu } from "../ui/menu.tsx";
import { loaded } from "../ui/loaded.tsx";
import { copyText } from "../ui/toast.ts";
import { goTo } from "../app/router.ts";
import { useVerbs } from "../app/verbs.ts";
import type { SessionActions } from "./use-actions.ts";

const DeleteDialog = loaded(() => import("./delete-dialog.tsx").then((m) => m.DeleteDialog));

const ICON = { size: 15, "aria-hidden": true } as const;

export function SessionMenu({
  session,
  actions,
  onFind,
  onChanges,
}: {
  readonly session: Session;
  readonly actions: SessionActions;
  readonly onFind: () => void;
  readonly onChanges: () => void;
}): ReactElement {
  const [asking, setAsking] = useState<"archive" | "delete" | null>(null);
  const { id, status } = session;
  const archive = (): void => {
    if (!isQuiet(session)) return setAsking("archive");
    archiveSessions([id]);
    goTo({ page: "list" });
  };
  const items: MenuItems = [
    { label: "Find in this session", icon: <Search {...ICON} />, hint: "Ctrl F", onSelect: onFind },
    { label: "Changes", icon: <FileDiff {...ICON} />, onSelect: onChanges },
    { label: "Fork", icon: <GitFork {...ICON} />, onSelect: actions.fork },
    ...(status === "suspended"
      ? [{ label: "Resume", icon: <Play {...ICON} />, onSelect: actions.resume }]
      : []),
    { label: "Export", icon: <Download {...ICON} />, onSelect: actions.exportBundle },
    "line",
    { label: "Copy id", icon: <Copy {...ICON} />, onSelect: () => void copyText(id, "Id copied") },
    {
      label: "Copy link",
      icon: <LinkIcon {...ICON} />,
      onSelect: () => void copyText(location.href.replace(/#.*$/u, ""), "Link copied"),
    },
    "line",
    {
      label: "Archive",
      icon: <Archive {...ICON} />,
      disabled: !canArchive(session),
      onSelect: archive,
    },
    {
      label: "Delete…",
      icon: <Trash2 {...ICON} />,
      danger: true,
      onSelect: () => setAsking("delete"),
    },
  ];
  useVerbs("This session", [
    ...(session.state === "running"
      ? [{ label: "Stop", keys: "Esc", onSelect: actions.cancel }]
      : []),
    ...items.flatMap((item) =>
      item === "line" || item.disabled === true
        ? []
        : [{ label: item.label, keys: item.hint, onSelect: item.onSelect }],
    ),
  ]);
  return (
    <>
      <Menu label="More" items={items} disabled={actions.busy === "delete"}>
        <Ellipsis size={18} aria-hidden="true" />
      </Menu>
      <ConfirmDialog
        open={asking === "archive"}
        title="Archive this session?"
        confirm="Archive"
        onConfirm={() => {
          setAsking(null);
          actions.archive();
        }}
        onClose={() => setAsking(null)}
      >
        {archiveText(session)} An archived session accepts no messages, and archiving cannot be
        undone. You can still read and fork it.
      </ConfirmDialog>
      {asking === "delete" && (
        <DeleteDialog
          name={sessionName(session)}
          hasWorktree={session.worktree !== null}
          busy={actions.busy === "delete"}
          onConfirm={actions.remove}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

function archiveText({ state, queued }: Session): string {
  if (state === "running") return "Its run is cancelled.";
  if (state === "suspended") return "Its open requests are closed.";
  return queued === 0 ? "" : "Its queued messages are not delivered.";
}
