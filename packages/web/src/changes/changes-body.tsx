import type { ChangedFile, Changes, Run, Session } from "@holdfast/protocol";
import { errorText } from "@holdfast/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, RefreshCw } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { saveFile } from "../api/save-file.ts";
import { HighlightProvider } from "../markdown/use-highlight.tsx";
import { runName } from "../rewind/run-name.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { loaded } from "../ui/loaded.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { showFailure } from "../ui/toast.ts";
import { changesKey, changesQuery } from "./changes-queries.ts";
import { countsName, countsText, filesText } from "./counts.ts";
import { FileRow } from "./file-row.tsx";
import { changesStamp, toQuery, type Scope } from "./scope.ts";
import { ScopeSwitch } from "./scope-switch.tsx";
import "./changes.css";

const KeepSection = loaded(() => import("../keep/keep-section.tsx").then((m) => m.KeepSection));

export interface ChangesProps {
  readonly session: Session;
  readonly runs: readonly Run[];
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
  readonly transcript: TranscriptStore;
}

/** The changed files of a session or a run. */
export function ChangesBody(props: ChangesProps): ReactElement {
  const { session, runs, scope, onScope, transcript } = props;
  const { data, error, isFetching, refetch } = useQuery(changesQuery(session.id, scope));
  useFreshChanges(session, runs);
  return (
    <HighlightProvider>
      <div className="flex flex-col gap-3">
        {session.changes !== null && <KeepSection session={session} />}
        <ScopeSwitch
          scope={scope}
          runs={runs}
          nameOf={(runId) => runName(transcript, runId)}
          onChange={onScope}
        />
        <div className="flex min-h-7 items-center gap-2 text-xs">
          <p className="min-w-0 flex-1 text-muted tabular-nums">
            {data === undefined ? "" : summaryOf(data)}
          </p>
          {data?.available === true && data.files.length > 0 && (
            <PatchButton sessionId={session.id} scope={scope} />
          )}
          <IconButton label="Refresh" size="small" busy={isFetching} onClick={() => void refetch()}>
            <RefreshCw size={13} aria-hidden="true" />
          </IconButton>
        </div>
        {error !== null && !isFetching && (
          <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
            {errorText(error)}
          </p>
        )}
        {data === undefined && isFetching && (
          <p className="flex items-center gap-2 text-muted">
            <Spinner /> Comparing the files…
          </p>
        )}
        {data !== undefined && error === null && (
          <Listed key={JSON.stringify(scope)} sessionId={session.id} scope={scope} changes={data} />
        )}
      </div>
    </HighlightProvider>
  );
}

/** Reads everything again when an event says that files have changed. */
function useFreshChanges(session: Session, runs: readonly Run[]): void {
  const queries = useQueryClient();
  const stamp = changesStamp(session, runs);
  const { id } = session;
  const last = useRef(stamp);
  useEffect(() => {
    if (stamp === last.current) return;
    last.current = stamp;
    void queries.invalidateQueries({ queryKey: changesKey(id) });
  }, [queries, id, stamp]);
}

function summaryOf({ available, counts }: Changes): string {
  if (!available) return "";
  if (counts.files === 0) return "No changed files";
  return `${filesText(counts.files)}, ${countsText(counts)}`;
}

const AT_ONCE = 200;

function Listed({
  sessionId,
  scope,
  changes,
}: {
  readonly sessionId: string;
  readonly scope: Scope;
  readonly changes: Changes;
}): ReactElement {
  const [count, setCount] = useState(AT_ONCE);
  const { available, reason, files, isCut, tooLarge, counts } = changes;
  if (!available) return <p className="text-muted">{reason ?? "The changes are not known."}</p>;
  const left = files.length - count;
  return (
    <>
      {files.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its buttons are reached with arrow keys, too
        <ul
          aria-label={`Changed files: ${countsName(counts)}`}
          className="file-list"
          onKeyDown={moveFocus}
        >
          {files.slice(0, count).map((file: ChangedFile) => (
            <FileRow key={file.path} sessionId={sessionId} scope={scope} file={file} />
          ))}
        </ul>
      )}
      {left > 0 && (
        <Button size="small" onClick={() => setCount(count + AT_ONCE)}>
          Show more files ({left.toLocaleString("en")} left)
        </Button>
      )}
      {isCut && (
        <p className="text-xs text-muted">
          Only the first {files.length.toLocaleString("en")} files are listed.
        </p>
      )}
      {tooLarge > 0 && (
        <p className="text-xs text-muted">
          {filesText(tooLarge)} {tooLarge === 1 ? "is" : "are"} too large to be compared.
        </p>
      )}
    </>
  );
}

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Arrow keys move between files. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const step = STEPS[event.key];
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>("button.fold-line")];
  const at = lines.findIndex((line) => line === event.target);
  if (step === undefined || at === -1) return;
  event.preventDefault();
  lines[step(at, lines.length - 1)]?.focus();
}

function PatchButton({
  sessionId,
  scope,
}: {
  readonly sessionId: string;
  readonly scope: Scope;
}): ReactElement {
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const parts: string[] = [];
      for await (const part of client.sessions.patch(sessionId, toQuery(scope))) parts.push(part);
      saveFile(parts, { name: `session-${sessionId}.patch`, type: "text/x-diff" });
    } catch (error) {
      showFailure("Not downloaded", error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="small"
      busy={isBusy}
      title="A patch for git apply"
      icon={<Download size={13} aria-hidden="true" />}
      onClick={() => void save()}
    >
      Patch
    </Button>
  );
}
