import { errorText } from "@holdfast/client";
import type { Session, WholeSession } from "@holdfast/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, type ReactElement } from "react";
import { providersQuery } from "../api/queries.ts";
import { sessionName } from "../api/session-name.ts";
import { Link } from "../app/link.tsx";
import { changesQuery } from "../changes/changes-queries.ts";
import { countsText, filesText } from "../changes/counts.ts";
import { FileList } from "../changes/file-list.tsx";
import { useFreshChanges } from "../changes/use-fresh-changes.ts";
import { branchFacts } from "../keep/keep-texts.ts";
import { branchQuery } from "../keep/keep-queries.ts";
import { PullRequestLink } from "../keep/pull-request-link.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { Clamped } from "../tools/clamped.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { wholeSessionQuery } from "./compare-queries.ts";
import { statusWord } from "../api/status-word.ts";
import { isTaken, lastAnswer, toneOf, whyNotTaken } from "./compare-texts.ts";

const SHAPE = "flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-3";

/** What one agent made of the message. */
export function ComparedCard({
  id,
  onTake,
}: {
  readonly id: string;
  readonly onTake: () => void;
}): ReactElement {
  const { data, error } = useQuery(wholeSessionQuery(id));
  if (data !== undefined && error === null) return <Card session={data} onTake={onTake} />;
  return (
    <article aria-label="Session" className={SHAPE}>
      {error === null ? (
        <p className="flex items-center gap-2 text-muted">
          <Spinner /> Loading the session…
        </p>
      ) : (
        <p role="alert" className="text-danger wrap-anywhere">
          {errorText(error)}
        </p>
      )}
    </article>
  );
}

function Card({
  session,
  onTake,
}: {
  readonly session: WholeSession;
  readonly onTake: () => void;
}): ReactElement {
  const heading = useId();
  const reasonId = useId();
  useFreshMessages(session);
  useFreshChanges(session, NO_RUNS);
  const agent = useAgentTitle(session);
  const word = statusWord(session);
  const why = whyNotTaken(session);
  return (
    <article aria-labelledby={heading} className={SHAPE}>
      <header className="flex flex-wrap items-center gap-2">
        <h2 id={heading} className="min-w-0 flex-1 text-sm font-semibold wrap-anywhere">
          {agent}
        </h2>
        <Badge tone={toneOf(word)}>{word}</Badge>
      </header>
      <Answer session={session} />
      {word === "Failed" && session.lastError !== null && (
        <p className="rounded-md bg-danger-soft px-3 py-2 text-xs text-danger wrap-anywhere">
          {session.lastError}
        </p>
      )}
      {session.changes !== null && <Files session={session} />}
      {session.worktree !== null && <Branch session={session} />}
      <footer className="flex flex-wrap items-center gap-2">
        <Button
          size="small"
          tone="primary"
          disabled={why !== null}
          aria-describedby={why === null ? undefined : reasonId}
          aria-label={`Take this one: ${agent}`}
          onClick={onTake}
        >
          Take this one
        </Button>
        <Link
          to={{ page: "session", id: session.id }}
          aria-label={`Open the session: ${sessionName(session)}`}
          className="touch-target inline-flex h-7 items-center rounded-md border border-line-strong/60 px-2 text-xs font-medium hover:bg-hover"
        >
          Open the session
        </Link>
        {why !== null && (
          <p id={reasonId} className="text-xs text-muted">
            {why}
          </p>
        )}
      </footer>
    </article>
  );
}

const NO_RUNS = [] as const;

/** Events do not carry messages: they are read again when the agent begins, asks or ends. */
function useFreshMessages({ id, state, queued }: Session): void {
  const queries = useQueryClient();
  const stamp = `${state} ${queued}`;
  const last = useRef(stamp);
  useEffect(() => {
    if (stamp === last.current) return;
    last.current = stamp;
    void queries.invalidateQueries({ queryKey: wholeSessionQuery(id).queryKey });
  }, [queries, id, stamp]);
}

function useAgentTitle({ provider, next, model }: Session): string {
  const { providers = [], defaultProvider = "" } = useQuery(providersQuery).data ?? {};
  const name = provider ?? next.provider ?? defaultProvider;
  const title = providers.find((each) => each.name === name)?.title ?? name;
  return model === null ? title : `${title}, ${model}`;
}

const ANSWER_LINES = 12;

function Answer({ session }: { readonly session: WholeSession }): ReactElement {
  const answer = lastAnswer(session);
  if (answer === null) return <p className="text-muted">No answer yet.</p>;
  return (
    <div className="min-w-0 text-sm">
      <h3 className="sr-only">Last answer</h3>
      <Clamped text={answer.text} lines={ANSWER_LINES}>
        {(text) => <Markdown text={text} textKey={answer.id} />}
      </Clamped>
    </div>
  );
}

const SCOPE = { of: "session" } as const;

function Files({ session }: { readonly session: Session }): ReactElement {
  const { data, error, isFetching } = useQuery(changesQuery(session.id, SCOPE));
  const counts = data?.counts ?? session.changes;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="text-xs font-medium tabular-nums">
        {counts === null || counts.files === 0
          ? "No changed files"
          : `${filesText(counts.files)}, ${countsText(counts)}`}
      </h3>
      {data !== undefined && (
        <FileList
          sessionId={session.id}
          form="unified"
          canComment={false}
          scope={SCOPE}
          changes={data}
        />
      )}
      {error !== null && !isFetching && (
        <p role="alert" className="text-xs text-danger wrap-anywhere">
          {errorText(error)}
        </p>
      )}
    </div>
  );
}

function Branch({ session }: { readonly session: Session }): ReactElement | null {
  const { data } = useQuery(branchQuery(session.id));
  if (data === undefined) return null;
  const hasWork = (session.changes?.files ?? 0) > 0;
  return (
    <div className="flex flex-col gap-1 text-xs wrap-anywhere">
      {isTaken(data) && hasWork ? (
        <p className="text-ok">{data.into} has all of this work.</p>
      ) : (
        <p className="text-muted">{branchFacts(data).join(" ")}</p>
      )}
      {data.pullRequest !== null && <PullRequestLink address={data.pullRequest} />}
    </div>
  );
}
