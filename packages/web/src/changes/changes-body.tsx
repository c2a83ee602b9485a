import type { Changes, Run, Session } from "@holdfast/protocol";
import { errorText } from "@holdfast/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, RefreshCw } from "lucide-react";
import { useRef, useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { saveFile } from "../api/save-file.ts";
import { HighlightProvider } from "../markdown/use-highlight.tsx";
import { runName } from "../rewind/run-name.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { CommentsBar } from "../comments/comments-bar.tsx";
import { FormSwitch } from "../diff/form-switch.tsx";
import { useFittingForm } from "../diff/use-fitting-form.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { loaded } from "../ui/loaded.tsx";
import { Problem } from "../ui/field.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { showFailure } from "../ui/toast.ts";
import { changesKey, changesQuery } from "./changes-queries.ts";
import { countsText, filesText } from "./counts.ts";
import { FileList } from "./file-list.tsx";
import { toQuery, type Scope } from "./scope.ts";
import { ScopeSwitch } from "./scope-switch.tsx";
import { useFreshChanges } from "./use-fresh-changes.ts";

const KeepSection = loaded(() => import("../keep/keep-section.tsx").then((m) => m.KeepSection));

const UNFOLDED_MAX = 12;

export interface ChangesProps {
  readonly session: Session;
  readonly runs: readonly Run[];
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
  readonly transcript: TranscriptStore;
  /** Called before the comments go to the message box: what covers it closes. */
  readonly onLeave?: () => void;
  /** Whether files are unfolded at first, if they are few. */
  readonly isUnfolded?: boolean;
}

/** The changed files of a session or a run. */
export function ChangesBody(props: ChangesProps): ReactElement {
  const { session, runs, scope, onScope, transcript, onLeave, isUnfolded = false } = props;
  const { data, error, isFetching } = useQuery(changesQuery(session.id, scope));
  const queries = useQueryClient();
  const refresh = (): void => void queries.invalidateQueries({ queryKey: changesKey(session.id) });
  useFreshChanges(session, runs);
  const body = useRef<HTMLDivElement>(null);
  const form = useFittingForm(body);
  const [isLarge, setLarge] = useState(false);
  const canComment = session.status !== "archived" && session.status !== "error";
  return (
    <HighlightProvider>
      <div ref={body} className="flex flex-col gap-3">
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
            <>
              <FormSwitch form={form} onTooNarrow={() => setLarge(true)} />
              <PatchButton sessionId={session.id} scope={scope} />
            </>
          )}
          <IconButton label="Refresh" size="small" busy={isFetching} onClick={refresh}>
            <RefreshCw size={13} aria-hidden="true" />
          </IconButton>
        </div>
        <Problem text={error === null || isFetching ? null : errorText(error)} />
        {data === undefined && isFetching && (
          <p className="flex items-center gap-2 text-muted">
            <Spinner /> Comparing the files…
          </p>
        )}
        {data !== undefined && error === null && (
          <FileList
            key={JSON.stringify(scope)}
            sessionId={session.id}
            scope={scope}
            changes={data}
            form={form.shown}
            isUnfolded={isUnfolded && data.files.length <= UNFOLDED_MAX}
            canComment={canComment}
          />
        )}
        {canComment && <CommentsBar sessionId={session.id} onLeave={onLeave} />}
        {isLarge && (
          <Dialog open onClose={() => setLarge(false)} title="Changes" size="screen">
            <ChangesBody
              {...props}
              isUnfolded
              onLeave={() => {
                setLarge(false);
                onLeave?.();
              }}
            />
          </Dialog>
        )}
      </div>
    </HighlightProvider>
  );
}

function summaryOf({ available, counts }: Changes): string {
  if (!available) return "";
  if (counts.files === 0) return "No changed files";
  return `${filesText(counts.files)}, ${countsText(counts)}`;
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
