import { FileDiff, Link } from "lucide-react";
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
} from "react";
import { sessionName } from "../api/session-name.ts";
import { countsName, countsText, someChanges } from "../changes/counts.ts";
import type { Scope } from "../changes/scope.ts";
import { StatusRegion } from "../app/announce.tsx";
import type { OpenSession } from "../session/opened-session.tsx";
import type { SessionView } from "../session/session-view.ts";
import { useLiveSession } from "../session/session-page.tsx";
import { CopyButton } from "../markdown/copy-button.tsx";
import { Transcript, type TranscriptHandle } from "../transcript/transcript-list.tsx";
import { Button } from "../ui/button.tsx";
import { Badge } from "../ui/badge.tsx";
import { Empty } from "../ui/empty.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import { loaded } from "../ui/loaded.tsx";
import { sharedHref, type SharedLink } from "./shared-link.ts";

const SharedChanges = loaded(() => import("./shared-changes.tsx").then((m) => m.SharedChanges));

/** One session, read with the token of a link: without navigation, message box or answers. */
export function SharedPage({ link }: { readonly link: SharedLink }): ReactElement {
  const { state, ...open } = useLiveSession(link.sessionId, link.messageId);
  const title = state.at === "open" ? sessionName(state.view.session) : "Shared session";
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  switch (state.at) {
    case "opening":
      return (
        <Frame>
          <p className="m-auto flex items-center gap-2 text-muted">
            <Spinner /> Loading the session…
          </p>
        </Frame>
      );
    case "missing":
    case "deleted":
      return (
        <Frame>
          <Empty title="This session was deleted">There is nothing to show any more.</Empty>
        </Frame>
      );
    case "failed":
      return (
        <Frame>
          {state.final ? (
            <Empty title="This link does not work">
              It has expired, or it was revoked. Ask for a new one.
            </Empty>
          ) : (
            <Empty title="The session could not be loaded">
              {state.reason} Retrying automatically.
            </Empty>
          )}
        </Frame>
      );
    case "open":
      return <SharedSession {...open} link={link} view={state.view} />;
    default:
      return state satisfies never;
  }
}

function Frame({
  heading = <h1 className="font-semibold">Shared session</h1>,
  children,
}: {
  readonly heading?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className="flex h-dvh flex-col">
      <header className="flex min-h-12 items-center gap-2.5 border-b border-line px-4 py-2">
        <img src="/favicon.svg" alt="" width="22" height="22" />
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">{heading}</div>
        <Badge tone="plain">Read-only</Badge>
      </header>
      <main className="flex min-h-0 flex-1 flex-col">{children}</main>
      <StatusRegion />
    </div>
  );
}

function SharedSession({
  transcript,
  find,
  link,
  view: { session, repo, runs },
}: OpenSession & { readonly link: SharedLink; readonly view: SessionView }): ReactElement {
  const list = useRef<TranscriptHandle>(null);
  const { messageId } = link;
  useEffect(() => {
    if (messageId !== null) void list.current?.scrollToMessage(messageId);
  }, [messageId]);
  const linkTo = useCallback(
    (to: string | null) => `${location.origin}${sharedHref({ ...link, messageId: to })}`,
    [link],
  );
  const counts = someChanges(session.changes);
  const agents = useMemo(() => new Map(runs.map((run) => [run.id, run.provider])), [runs]);
  const runLabel = useCallback((runId: string) => agents.get(runId) ?? null, [agents]);
  const [scope, setScope] = useState<Scope | null>(null);
  const onChanges = useCallback((runId: string) => setScope({ of: "run", runId }), [setScope]);
  return (
    <Frame
      heading={
        <>
          <h1 className="min-w-0 truncate font-semibold">{sessionName(session)}</h1>
          <StateDot session={session} />
          <CopyButton
            label="Copy link"
            text={() => linkTo(null)}
            icon={<Link size={14} aria-hidden="true" />}
          />
          {counts !== null && (
            <Button
              size="small"
              aria-label={`Changes: ${countsName(counts)}`}
              icon={<FileDiff size={13} aria-hidden="true" />}
              onClick={() => setScope({ of: "session" })}
            >
              {countsText(counts)}
            </Button>
          )}
        </>
      }
    >
      <Transcript
        ref={list}
        store={transcript}
        find={find}
        runLabel={runLabel}
        noticeAction={none}
        moreActions={none}
        linkTo={linkTo}
        onChanges={onChanges}
        running={null}
        root={session.worktree?.path ?? repo?.path ?? null}
      />
      {scope !== null && (
        <SharedChanges sessionId={session.id} scope={scope} onClose={() => setScope(null)} />
      )}
    </Frame>
  );
}

/** Nothing can be done with a shared session. */
function none(): null {
  return null;
}
