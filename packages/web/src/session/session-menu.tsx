import type { Session } from "@holdfast/protocol";
import {
  Archive,
  Copy,
  Download,
  Ellipsis,
  FileDiff,
  Gauge,
  GitFork,
  Info,
  Link as LinkIcon,
  ListChecks,
  Pencil,
  Play,
  Plug,
  Search,
  Share2,
  SquareTerminal,
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
import type { PanelTab } from "../panel/use-panel.ts";
import { useVerbs } from "../app/verbs.ts";
import type { SessionActions } from "./use-actions.ts";

const ConnectionsDialog = loaded(() =>
  import("../connections/connections-dialog.tsx").then((m) => m.ConnectionsDialog),
);
const ShareDialog = loaded(() => import("../sharing/share-dialog.tsx").then((m) => m.ShareDialog));
const DeleteDialog = loaded(() => import("./delete-dialog.tsx").then((m) => m.DeleteDialog));

const ICON = { size: 15, "aria-hidden": true } as const;

export function SessionMenu({
  session,
  actions,
  onFind,
  onPanel,
  onRename,
  onDetails,
}: {
  readonly session: Session;
  readonly actions: SessionActions;
  readonly onFind: () => void;
  readonly onPanel: (tab: PanelTab) => void;
  readonly onRename: () => void;
  readonly onDetails: () => void;
}): ReactElement {
  const [asking, setAsking] = useState<"archive" | "delete" | "share" | "connections" | null>(null);
  const { id, status } = session;
  const archive = (): void => {
    if (!isQuiet(session)) return setAsking("archive");
    archiveSessions([id]);
    goTo({ page: "list" });
  };
  const items: MenuItems = [
    { label: "Find in this session", icon: <Search {...ICON} />, hint: "Ctrl F", onSelect: onFind },
    { label: "Rename", icon: <Pencil {...ICON} />, onSelect: () => setTimeout(onRename) },
    { label: "Details", icon: <Info {...ICON} />, onSelect: onDetails },
    "line",
    { label: "Files", icon: <FileDiff {...ICON} />, onSelect: () => onPanel("files") },
    { label: "Plan", icon: <ListChecks {...ICON} />, onSelect: () => onPanel("plan") },
    { label: "Terminal", icon: <SquareTerminal {...ICON} />, onSelect: () => onPanel("terminal") },
    { label: "Usage", icon: <Gauge {...ICON} />, onSelect: () => onPanel("usage") },
    "line",
    { label: "Fork", icon: <GitFork {...ICON} />, onSelect: actions.fork },
    ...(status === "suspended"
      ? [{ label: "Resume", icon: <Play {...ICON} />, onSelect: actions.resume }]
      : []),
    {
      label: "MCP servers…",
      icon: <Plug {...ICON} />,
      onSelect: () => setAsking("connections"),
    },
    { label: "Share…", icon: <Share2 {...ICON} />, onSelect: () => setAsking("share") },
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
      {asking === "connections" && (
        <ConnectionsDialog session={session} onClose={() => setAsking(null)} />
      )}
      {asking === "share" && <ShareDialog session={session} onClose={() => setAsking(null)} />}
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
  if (state === "running") return "Its run is stopped.";
  if (state === "suspended") return "Its open requests are closed.";
  return queued === 0 ? "" : "Its queued messages are not delivered.";
}
