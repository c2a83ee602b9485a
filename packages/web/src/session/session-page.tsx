import type { ReactElement } from "react";
import { Link } from "../app/link.tsx";
import { usePageTitle } from "../app/page-title.ts";
import { waiting } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { OpenedSession } from "./opened-session.tsx";
import { useLiveSession } from "./use-live-session.ts";

export function SessionPage({ id }: { readonly id: string }): ReactElement {
  const { state, ...open } = useLiveSession(id);
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
  readonly children: React.ReactNode;
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
