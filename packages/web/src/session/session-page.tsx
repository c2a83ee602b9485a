import { useEffect, useState, type ReactElement, type ReactNode } from "react";
import { client, waiting } from "../api/client.ts";
import { lastSeen } from "../api/last-seen.ts";
import { useStore } from "../api/store.ts";
import { Link } from "../app/link.tsx";
import { usePageTitle } from "../app/page-title.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { LIMITS } from "@holdfast/protocol";
import { savedMessage } from "../transcript/use-place.ts";
import { createFind } from "../transcript/find.ts";
import { createTranscript } from "../transcript/transcript-store.ts";
import { createLiveSession, type LiveState } from "./live-session.ts";
import { OpenedSession, type OpenSession } from "./opened-session.tsx";

export function SessionPage({ id }: { readonly id: string }): ReactElement {
  const { state, ...open } = useLiveSession(id, messageInAddress());
  switch (state.at) {
    case "opening":
      return <Opening />;
    case "missing":
      return (
        <Instead title="Session not found">
          It may have been deleted. <AllSessions />
        </Instead>
      );
    case "failed":
      return (
        <Instead
          title="The session could not be loaded"
          action={
            <Button onClick={state.final ? () => location.reload() : waiting.wake}>
              Try again
            </Button>
          }
        >
          {state.reason} {!state.final && "Retrying automatically."}
        </Instead>
      );
    case "deleted":
      return (
        <Instead title="This session was deleted">
          <AllSessions />
        </Instead>
      );
    case "open":
      return <OpenedSession {...open} view={state.view} link={state.link} />;
    default:
      return state satisfies never;
  }
}

function Opening(): ReactElement {
  usePageTitle(null);
  return (
    <main className="flex flex-1 items-center justify-center gap-2 text-muted">
      <h1 className="sr-only">Session</h1>
      <Spinner /> Loading the session…
    </main>
  );
}

function Instead({
  title,
  action,
  children,
}: {
  readonly title: string;
  readonly action?: ReactElement;
  readonly children: ReactNode;
}): ReactElement {
  usePageTitle(title);
  return (
    <main className="flex-1">
      <h1 className="sr-only">Session</h1>
      <Empty title={title} action={action}>
        {children}
      </Empty>
    </main>
  );
}

function AllSessions(): ReactElement {
  return (
    <Link to={{ page: "list" }} className="text-accent underline">
      All sessions
    </Link>
  );
}

/** Opens a session at a message or its end, and follows it while the component is mounted. */
export function useLiveSession(
  id: string,
  messageId: string | null,
): OpenSession & { readonly state: LiveState } {
  const [open] = useState(() => openSession(id, messageId));
  useEffect(() => {
    const stop = new AbortController();
    void open.live.run(stop.signal);
    return () => {
      stop.abort();
      open.transcript.close();
    };
  }, [open]);
  return { ...open, state: useStore(open.live) };
}

function openSession(id: string, messageId: string | null): OpenSession {
  const transcript = createTranscript({
    sessionId: id,
    seenAt: lastSeen(id),
    today: new Date(),
    readEarlier: async (before) =>
      client.sessions.messages(id, { before, limit: LIMITS.messagePageSize }),
  });
  const live = createLiveSession({
    id,
    sessions: client.sessions,
    waiting,
    onLoad: async (whole) => {
      transcript.load(whole);
      for (const each of [messageId, savedMessage(id)])
        if (each !== null) await transcript.earlier.loadUntil(each);
    },
    onEvent: transcript.apply,
    onRuns: transcript.takeRuns,
    onFault: (error) => reportError(error),
  });
  return { live, transcript, find: createFind(transcript) };
}

/** The message in the address of the page; "page" is the target of "Skip to content". */
function messageInAddress(): string | null {
  const id = decodeURIComponent(location.hash.slice(1));
  return id === "" || id === "page" ? null : id;
}
