import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  type ReactElement,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { ProvidersReply, Run, Session } from "@holdfast/protocol";
import { ApprovalSlotContext } from "../approvals/session/approval-slot.tsx";
import { useRequests } from "../approvals/session/use-requests.tsx";
import { providersQuery } from "../api/queries.ts";
import { sessionName } from "../api/session-name.ts";
import { usePageTitle } from "../app/page-title.ts";
import { useShortcuts } from "../app/use-shortcuts.ts";
import type { Agent } from "../composer/agent-choice.ts";
import { Composer } from "../composer/composer.tsx";
import { usePanel } from "../panel/use-panel.ts";
import { useRewind } from "../rewind/use-rewind.ts";
import { useEndAfterSending, useKeepEnd, useKeyboardInset } from "./use-keep-end.ts";
import { Transcript, type TranscriptHandle } from "../transcript/transcript-list.tsx";
import type { Find } from "../transcript/find.ts";
import { useSeen } from "../transcript/use-seen.ts";
import type { Link, LiveSession } from "./live-session.ts";
import { SessionHeader } from "./session-header.tsx";
import type { SessionView } from "./session-view.ts";
import { useActions } from "./use-actions.ts";
import { usePlace } from "../app/router.ts";
import { loaded } from "../ui/loaded.tsx";
import { showToast } from "../ui/toast.ts";
import { announce } from "../app/announce.tsx";
import { drafts } from "../composer/page-outbox.ts";
import type { RunningNow } from "../transcript/now/now-line.tsx";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { useMoreActions, useNoticeAction } from "./row-actions.tsx";

/** Loaded when there is something to find, to answer or to show. */
const FindBar = loaded(() => import("./find-bar.tsx").then((m) => m.FindBar));
const WaitingStack = loaded(() =>
  import("../approvals/session/waiting-stack.tsx").then((m) => m.WaitingStack),
);
const RemovalLine = loaded(() => import("./details/removal-line.tsx").then((m) => m.RemovalLine));
const SessionPanel = loaded(() => import("../panel/session-panel.tsx").then((m) => m.SessionPanel));
const StopDialog = loaded(() => import("./stop-dialog.tsx").then((m) => m.StopDialog));
const RewoundBar = loaded(() => import("../rewind/rewound-bar.tsx").then((m) => m.RewoundBar));
const RewindDialog = loaded(() =>
  import("../rewind/rewind-dialog.tsx").then((m) => m.RewindDialog),
);

export interface OpenSession {
  readonly live: LiveSession;
  readonly transcript: TranscriptStore;
  readonly find: Find;
}

export function OpenedSession({
  live,
  transcript,
  find,
  view,
  link,
}: OpenSession & { readonly view: SessionView; readonly link: Link }): ReactElement {
  const { session, repo, queue, runs } = view;
  const actions = useActions(session, live.setSession);
  const { data: providers = null } = useQuery(providersQuery);
  const [isFinding, setFinding] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const panel = usePanel();
  const list = useRef<TranscriptHandle>(null);
  const page = useRef<HTMLElement>(null);
  const room = useRef<HTMLDivElement>(null);
  const findInput = useRef<HTMLInputElement>(null);
  const isEmpty = useSyncExternalStore(transcript.subscribe, () => transcript.size === 0);
  const isOpen = session.status === "active" || session.status === "suspended";
  usePageTitle(sessionName(session));
  useKeyboardInset(page);
  usePermalink(list);
  useRunAnnouncements(session);
  useFreshProviders(session);
  useKeepEnd(room, list);
  const requests = useRequests(view, list);
  useEndAfterSending(session.id, list);
  useSeen(session, transcript);

  const openFind = (): void => {
    setFinding(true);
    findInput.current?.select();
  };
  useShortcuts({
    "mod+f": openFind,
    "/": openFind,
    "alt+arrowup": () => void list.current?.stepUser(-1),
    "alt+arrowdown": () => void list.current?.stepUser(1),
    escape: () => {
      if (isFinding) setFinding(false);
      else if (session.state === "running") setStopping(true);
    },
    "]": panel.toggle,
  });

  const last = workerOf(runs);
  const runsById = useMemo(() => new Map(runs.map((run) => [run.id, run])), [runs]);
  const runLabel = useCallback(
    (runId: string) => workerText(runsById.get(runId) ?? null, providers),
    [runsById, providers],
  );
  const rewind = useRewind();
  const moreActions = useMoreActions(transcript, session, rewind.ask);
  const noticeAction = useNoticeAction(transcript, session, actions.fork);
  const lastText = useCallback(() => lastUserText(transcript), [transcript]);

  return (
    <main ref={page} className="flex min-h-0 flex-1 flex-col">
      <SessionHeader
        view={view}
        actions={actions}
        worker={workerText(last ?? session, providers)}
        isAway={link !== "live" && link !== "catching up"}
        panel={panel}
        onFind={openFind}
      />
      <LinkLine link={link} />
      {(session.suspendedReason !== null || session.removeAt !== null) && (
        <RemovalLine session={session} />
      )}
      <div className="flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {isFinding && <FindBar find={find} input={findInput} onClose={() => setFinding(false)} />}
          {/* Part of the transcript stays visible above open requests; a phone has no room for both. */}
          <div ref={room} className="min-h-0 flex-1 sm:min-h-24">
            {isEmpty && queue.length === 0 ? (
              <p className="px-6 py-16 text-center text-muted">
                {isOpen ? "No messages yet. The first message starts the agent." : "No messages."}
              </p>
            ) : (
              <ApprovalSlotContext value={requests.slot}>
                <Transcript
                  ref={list}
                  store={transcript}
                  find={find}
                  runLabel={runLabel}
                  noticeAction={noticeAction}
                  moreActions={moreActions}
                  onChanges={panel.showRun}
                  running={runningNow(view, last ?? session, providers)}
                  root={session.worktree?.path ?? repo?.path ?? null}
                />
              </ApprovalSlotContext>
            )}
          </div>
          <div className="mx-auto flex min-h-0 w-full max-w-[52rem] flex-col gap-2 px-3 pt-1 pb-3 sm:px-4">
            {(session.suspensions.length > 0 || view.closed.length > 0) && (
              <WaitingStack
                view={view}
                requests={requests}
                onGiveUp={actions.cancel}
                givingUp={actions.busy === "cancel"}
              />
            )}
            {session.rewind !== null && (
              <RewoundBar
                session={session}
                transcript={transcript}
                drafts={drafts}
                last={rewind.last}
                onUndone={rewind.readDraft}
              />
            )}
            <Composer
              key={rewind.draftCount}
              session={session}
              queue={queue}
              last={last}
              lastText={lastText}
              onQueue={live.setQueue}
              onStop={() => setStopping(true)}
              isStopping={actions.busy === "cancel"}
              onFork={actions.fork}
              onAccept={actions.acceptMessages}
            />
          </div>
        </div>
        {panel.tab !== null && (
          <SessionPanel
            view={view}
            transcript={transcript}
            panel={{ ...panel, tab: panel.tab }}
            onMessage={(messageId) => void list.current?.scrollToMessage(messageId)}
          />
        )}
      </div>
      {isStopping && session.state === "running" && (
        <StopDialog onStop={actions.cancel} onClose={() => setStopping(false)} />
      )}
      {rewind.asked !== null && (
        <RewindDialog
          session={session}
          {...rewind.asked}
          transcript={transcript}
          drafts={drafts}
          onDone={(done) => {
            rewind.done(done);
            // After the dialog has given the focus back.
            setTimeout(() => page.current?.querySelector("textarea")?.focus());
          }}
          onClose={rewind.close}
        />
      )}
    </main>
  );
}

function lastUserText(transcript: TranscriptStore): string | null {
  const id = transcript.stepUser(null, -1);
  const words = id === null ? "" : transcript.words(id);
  return words === "" ? null : words;
}

/** A warning while the page may be out of date. */
function LinkLine({ link }: { readonly link: Link }): ReactElement | null {
  if (link === "live" || link === "catching up") return null;
  const text =
    link === "broken"
      ? "Reconnecting. This page may be out of date; your draft is kept."
      : `Not connected: ${link.refused}`;
  return (
    <p className="border-b border-line bg-warn-soft px-3 py-1 text-xs text-warn wrap-anywhere sm:px-4">
      {text}
    </p>
  );
}

/** Agents report their models and commands while they run, so the list is fetched again afterwards. */
function useFreshProviders({ state }: Pick<Session, "state">): void {
  const queries = useQueryClient();
  const before = useRef(state);
  useEffect(() => {
    const hasWorked = before.current === "running" && state !== "running";
    before.current = state;
    if (hasWorked) void queries.invalidateQueries({ queryKey: providersQuery.queryKey });
  }, [queries, state]);
}

/** Scrolls to the message named in the URL. */
function usePermalink(transcript: RefObject<TranscriptHandle | null>): void {
  const place = usePlace();
  const messageId = place?.page === "session" ? (place.hash ?? null) : null;
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (messageId === null || shown.current === messageId || messageId === "page") return;
    shown.current = messageId;
    void transcript.current?.scrollToMessage(messageId).then(async (isThere) => {
      if (!isThere) await showToast({ text: "This session has no such message" });
    });
  }, [messageId, transcript]);
}

/** Announces the start and end of work; requests are announced on every page. */
function useRunAnnouncements({ state }: Pick<Session, "state">): void {
  const before = useRef(state);
  useEffect(() => {
    if (before.current !== state && state === "idle") announce("Agent finished");
    if (before.current === "idle" && state === "running") announce("Agent is at work");
    before.current = state;
  }, [state]);
}

/** What the transcript ends with while a run is on. */
function runningNow(
  { session, runs }: SessionView,
  worker: Agent,
  providers: ProvidersReply | null,
): RunningNow | null {
  if (session.state !== "running") return null;
  const run = runs.findLast(({ status }) => status === "running");
  return {
    since: run?.startedAt ?? session.lastTurn.at,
    agent: workerText({ provider: worker.provider, model: null }, providers),
    isHanded: run !== undefined && run.memory !== null,
  };
}

/** The agent of the last or current run; null when unknown. */
function workerOf(runs: readonly Run[]): Agent | null {
  const run = runs.findLast(({ startedAt, provider }) => startedAt !== null && provider !== null);
  return run === undefined ? null : { provider: run.provider, model: run.model };
}

/** Such as "Gemini CLI · gemini-pro". */
function workerText(worker: Agent | null, providers: ProvidersReply | null): string | null {
  if (worker === null) return null;
  const name = worker.provider ?? providers?.defaultProvider ?? null;
  if (name === null) return worker.model;
  const about = providers?.providers.find((each) => each.name === name);
  const model = about?.models.find(({ id }) => id === worker.model)?.name ?? worker.model;
  return [about?.title ?? name, model].filter((part) => part !== null).join(" · ");
}
