import { X } from "lucide-react";
import { useEffect, useRef, type KeyboardEvent, type ReactElement, type ReactNode } from "react";
import { ChangesBody } from "../changes/changes-body.tsx";
import { countsText, someChanges } from "../changes/counts.ts";
import type { SessionView } from "../session/session-view.ts";
import { toPlan } from "../tools/plan.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { IconButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { useMedia } from "../ui/screen/use-media.ts";
import { Column } from "../ui/column.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { loaded } from "../ui/loaded.tsx";
import { Nothing } from "./nothing.tsx";
import { PANEL_TABS, type Panel, type PanelTab } from "./use-panel.ts";

const LOADING = <Nothing>Loading…</Nothing>;
const PlanTab = loaded(() => import("./plan-tab.tsx").then((m) => m.PlanTab), LOADING);
const TerminalTab = loaded(() => import("./terminal-tab.tsx").then((m) => m.TerminalTab), LOADING);
const UsageTab = loaded(() => import("./usage-tab.tsx").then((m) => m.UsageTab), LOADING);

interface PanelProps {
  readonly view: SessionView;
  readonly transcript: TranscriptStore;
  readonly panel: Panel & { readonly tab: PanelTab };
  /** Scrolls the transcript to a message. */
  readonly onMessage: (messageId: string) => void;
  /** Closes a panel that covers the message box, because the box is needed. */
  readonly onLeave?: () => void;
}

/** The panel: beside the transcript where there is room, otherwise over the whole screen. */
export function SessionPanel(props: PanelProps): ReactElement {
  const hasRoom = useMedia(ROOM);
  const { close } = props.panel;
  if (hasRoom) return <Beside {...props} />;
  const onMessage = (messageId: string): void => {
    close();
    props.onMessage(messageId);
  };
  return (
    <Dialog open onClose={close} title="Panel" size="screen">
      <div className="flex flex-col gap-3">
        <Tabs {...props} />
        <TabBody {...props} onMessage={onMessage} onLeave={close} />
      </div>
    </Dialog>
  );
}

const ROOM = "(min-width: 1200px)";
const WIDTH = { min: 320, usual: 420, max: 900 } as const;

function Beside(props: PanelProps): ReactElement {
  const { close } = props.panel;
  const panel = useRef<HTMLElement>(null);
  useFocus(panel);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <Column name="panel" label="Width of the panel" side="right" width={WIDTH}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it */}
      <aside
        ref={panel}
        tabIndex={-1}
        aria-label="Panel"
        onKeyDown={onKeyDown}
        className="flex min-h-0 flex-1 flex-col bg-surface outline-none"
      >
        <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-2 pl-3">
          <Tabs {...props} />
          <IconButton label="Close the panel (])" size="small" className="ml-auto" onClick={close}>
            <X size={16} aria-hidden="true" />
          </IconButton>
        </header>
        <TabBody {...props} className="min-h-0 flex-1 overflow-y-auto p-4" />
      </aside>
    </Column>
  );
}

const NAMES = { files: "Files", plan: "Plan", terminal: "Terminal", usage: "Usage" } as const;

function Tabs({ view, panel }: PanelProps): ReactElement {
  const list = useRef<HTMLDivElement>(null);
  const aside = { files: filesText(view), plan: planText(view), terminal: null, usage: null };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = PANEL_TABS.indexOf(panel.tab) + step + PANEL_TABS.length;
    const next = PANEL_TABS[at % PANEL_TABS.length] ?? "files";
    panel.show(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label="Parts of the panel"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="flex min-w-0 items-center gap-0.5 overflow-x-auto text-xs"
    >
      {PANEL_TABS.map((tab) => {
        const isShown = tab === panel.tab;
        return (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            aria-selected={isShown}
            aria-controls={isShown ? "panel-body" : undefined}
            tabIndex={isShown ? 0 : -1}
            onClick={() => panel.show(tab)}
            className={classNames(
              "touch-target inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-md px-2 whitespace-nowrap focus-visible:-outline-offset-2",
              isShown ? "bg-accent-soft font-semibold text-accent" : "text-muted hover:bg-hover",
            )}
          >
            {NAMES[tab]}
            {aside[tab] !== null && <span className="tabular-nums">{aside[tab]}</span>}
          </button>
        );
      })}
    </div>
  );
}

function filesText({ session }: SessionView): string | null {
  const counts = someChanges(session.changes);
  return counts === null ? null : countsText(counts);
}

/** Such as `2/3`. */
function planText({ plan }: SessionView): string | null {
  const steps = plan === null ? [] : toPlan(plan.content).steps;
  if (steps.length === 0) return null;
  return `${steps.filter(({ status }) => status === "completed").length}/${steps.length}`;
}

function TabBody({ className, ...props }: PanelProps & { readonly className?: string }): ReactNode {
  const { tab } = props.panel;
  return (
    // It scrolls with the keyboard, also where it has no button.
    <div
      id="panel-body"
      role="tabpanel"
      aria-labelledby={`tab-${tab}`}
      tabIndex={0}
      className={classNames("focus-visible:-outline-offset-2", className)}
    >
      <Shown {...props} />
    </div>
  );
}

function Shown({ view, transcript, panel, onMessage, onLeave }: PanelProps): ReactElement {
  const { session, runs } = view;
  switch (panel.tab) {
    case "files":
      return (
        <ChangesBody
          session={session}
          runs={runs}
          scope={panel.scope}
          onScope={panel.setScope}
          transcript={transcript}
          {...(onLeave !== undefined && { onLeave })}
        />
      );
    case "plan":
      return <PlanTab plan={view.plan} />;
    case "terminal":
      return <TerminalTab tools={view.tools} transcript={transcript} onMessage={onMessage} />;
    case "usage":
      return <UsageTab view={view} transcript={transcript} />;
    default:
      return panel.tab satisfies never;
  }
}

/** Takes the focus when it opens, and gives it back when it closes. */
function useFocus(panel: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const before = document.activeElement;
    const element = panel.current;
    element?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
    return () => {
      const isInside = element?.contains(document.activeElement) === true;
      const isLost = document.activeElement === document.body;
      if ((isInside || isLost) && before instanceof HTMLElement) before.focus();
    };
  }, [panel]);
}
