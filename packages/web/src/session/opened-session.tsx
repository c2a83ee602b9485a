import { useQuery } from "@tanstack/react-query";
import {
  lazy,
  Suspense,
  useCallback,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactElement,
} from "react";
import { providersQuery } from "../api/queries.ts";
import { sessionName } from "../api/session-name.ts";
import { usePageTitle } from "../app/page-title.ts";
import { useShortcuts } from "../app/use-shortcuts.ts";
import { Composer } from "../composer/composer.tsx";
import { useKeyboardInset } from "../composer/use-keyboard-inset.ts";
import type { TranscriptHandle } from "../transcript/transcript-list.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { LinkLine } from "./link-line.tsx";
import type { Link } from "./live-session.ts";
import { SessionHeader } from "./session-header.tsx";
import type { SessionView } from "./session-view.ts";
import { useActions } from "./use-actions.ts";
import type { OpenSession } from "./use-live-session.ts";
import { useFreshProviders } from "./use-fresh-providers.ts";
import { useKeepEnd } from "./use-keep-end.ts";
import { useNoticeAction } from "./use-notice-action.ts";
import { usePermalink } from "./use-permalink.ts";
import { useRunAnnouncements } from "./use-run-announcements.ts";
import { workerText, workerOf } from "./worker.ts";

/** Loaded when there is something to find, to answer, or to say about the session's end. */
const RemovalLine = lazy(() =>
  import("./removal-line.tsx").then((m) => ({ default: m.RemovalLine })),
);
const FindBar = lazy(() => import("./find-bar.tsx").then((m) => ({ default: m.FindBar })));
const WaitingStack = lazy(() =>
  import("./waiting-stack.tsx").then((m) => ({ default: m.WaitingStack })),
);

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
  const [cancelling, setCancelling] = useState(false);
  const list = useRef<TranscriptHandle>(null);
  const page = useRef<HTMLElement>(null);
  const room = useRef<HTMLDivElement>(null);
  const findInput = useRef<HTMLInputElement>(null);
  const isEmpty = useSyncExternalStore(transcript.subscribe, () => transcript.size === 0);
  usePageTitle(sessionName(session));
  useKeyboardInset(page);
  usePermalink(list);
  useRunAnnouncements(session);
  useFreshProviders(session);
  useKeepEnd(room, list);

  const openFind = (): void => {
    setFinding(true);
    findInput.current?.select();
  };
  useShortcuts({
    "mod+f": openFind,
    "/": openFind,
    "alt+arrowup": () => list.current?.stepUser(-1),
    "alt+arrowdown": () => list.current?.stepUser(1),
    escape: () => {
      if (isFinding) setFinding(false);
      else if (session.state === "running") setCancelling(true);
    },
  });

  const last = workerOf(runs);
  const runsById = useMemo(() => new Map(runs.map((run) => [run.id, run])), [runs]);
  const runLabel = useCallback(
    (runId: string) => workerText(runsById.get(runId) ?? null, providers),
    [runsById, providers],
  );
  const noticeAction = useNoticeAction({ transcript, session, onFork: actions.fork });
  const lastText = useCallback(() => lastUserText(transcript), [transcript]);

  return (
    <main ref={page} className="flex min-h-0 flex-1 flex-col">
      <SessionHeader
        view={view}
        actions={actions}
        worker={workerText(last ?? session, providers)}
        cancelling={cancelling}
        onCancelling={setCancelling}
        onFind={openFind}
      />
      <LinkLine link={link} />
      {(session.suspendedReason !== null || session.removeAt !== null) && (
        <Suspense fallback={null}>
          <RemovalLine session={session} />
        </Suspense>
      )}
      {isFinding && (
        <Suspense fallback={null}>
          <FindBar find={find} input={findInput} onClose={() => setFinding(false)} />
        </Suspense>
      )}
      {/* Something of the transcript is always seen, whatever waits below it; a phone has no room for both. */}
      <div ref={room} className="min-h-0 flex-1 sm:min-h-24">
        {isEmpty && queue.length === 0 ? (
          <p className="px-6 py-16 text-center text-muted">
            Nothing has been said yet. The first message starts the agent.
          </p>
        ) : (
          <Transcript
            ref={list}
            store={transcript}
            find={find}
            runLabel={runLabel}
            noticeAction={noticeAction}
            root={repo?.path ?? null}
          />
        )}
      </div>
      <div className="mx-auto flex min-h-0 w-full max-w-[52rem] flex-col gap-2 px-3 pt-1 pb-3 sm:px-4">
        {(session.suspensions.length > 0 || view.closed.length > 0) && (
          <Suspense fallback={null}>
            <WaitingStack
              view={view}
              onGiveUp={actions.cancel}
              givingUp={actions.busy === "cancel"}
            />
          </Suspense>
        )}
        <Composer
          session={session}
          queue={queue}
          last={last}
          lastText={lastText}
          onQueue={live.setQueue}
          onFork={() => actions.fork()}
          onAccept={actions.acceptMessages}
        />
      </div>
    </main>
  );
}

function lastUserText(transcript: OpenSession["transcript"]): string | null {
  const id = transcript.stepUser(null, -1);
  const words = id === null ? "" : transcript.words(id);
  return words === "" ? null : words;
}
