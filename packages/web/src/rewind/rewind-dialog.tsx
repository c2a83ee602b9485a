import type { RewindReply, Session } from "@holdfast/protocol";
import { errorText } from "@holdfast/client";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactElement, type ReactNode } from "react";
import { client } from "../api/client.ts";
import { announce } from "../app/announce.tsx";
import { FileLetter } from "../changes/file-letter.tsx";
import { pathText } from "../changes/file-texts.ts";
import type { Drafts } from "../composer/drafts.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Check, Problem } from "../ui/field.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { filePlanOf, keptNews, keptText, runsText } from "./rewind-texts.ts";
import { draftMessage } from "./rewound-draft.ts";
import { runName } from "./run-name.ts";
import type { AskedRewind, DoneRewind } from "./use-rewind.ts";

const FORM = "rewind-session";

interface Choice {
  readonly files: boolean;
  readonly conversation: boolean;
  readonly force: boolean;
}

/** Says what a rewind would do before it is done. */
export function RewindDialog({
  session,
  runId,
  intent,
  transcript,
  drafts,
  onDone,
  onClose,
}: AskedRewind & {
  readonly session: Session;
  readonly transcript: TranscriptStore;
  readonly drafts: Drafts;
  readonly onDone: (done: DoneRewind) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [choice, setChoice] = useState<Choice>({ files: true, conversation: true, force: false });
  const change = (changes: Partial<Choice>): void => setChoice({ ...choice, ...changes });
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { files, conversation, force } = choice;
  const isEdit = intent === "edit";
  const isSomething = files || conversation;
  const { data, error, isFetching } = useQuery({
    // The version: what would be done depends on the session.
    queryKey: ["rewind-plan", session.id, runId, choice, session.version],
    queryFn: ({ signal }) =>
      client.sessions.rewind(session.id, { run: runId, ...choice, dryRun: true }, { signal }),
    enabled: isSomething && !isBusy,
    retry: false,
    gcTime: 0,
  });
  const plan = data === undefined ? null : filePlanOf(data);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || data === undefined) return;
    setBusy(true);
    setProblem(null);
    try {
      const reply = await client.sessions.rewind(session.id, { run: runId, ...choice });
      announce("Rewound");
      if (conversation) draftMessage({ drafts, transcript }, runId, { keep: isEdit });
      onDone({ rewindId: reply.rewind?.id ?? null, left: keptNews(reply) });
    } catch (reason) {
      setProblem(errorText(reason));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={isEdit ? "Edit and run again?" : "Go back to before this message?"}
      description={
        isEdit
          ? "The session goes back to before this message, whose text is put into the message box. You can undo this until the next run starts."
          : "Nothing is lost: you can undo this until the next run starts."
      }
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button
            tone="primary"
            type="submit"
            form={FORM}
            busy={isBusy}
            disabled={!isSomething || data === undefined}
          >
            {isEdit ? "Edit" : "Go back"}
          </Button>
        </>
      }
    >
      <form id={FORM} onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <fieldset className="flex flex-wrap gap-x-6 gap-y-1">
          <legend className="mb-1 text-sm font-medium">What goes back</legend>
          <Check checked={files} onChange={(checked) => change({ files: checked })}>
            Files
          </Check>
          <Check checked={conversation} onChange={(checked) => change({ conversation: checked })}>
            Conversation
          </Check>
        </fieldset>
        {!isSomething && <p className="text-muted">Choose the files, the conversation, or both.</p>}
        {isSomething && data === undefined && isFetching && (
          <p className="flex items-center gap-2 text-muted">
            <Spinner /> Looking at what would change…
          </p>
        )}
        {isSomething && data !== undefined && plan !== null && (
          <>
            {conversation && <Runs runs={data.runs} transcript={transcript} />}
            {files && <Files plan={plan} />}
            {files && (plan.hasOthers || force) && (
              <Check checked={force} onChange={(checked) => change({ force: checked })}>
                Also overwrite what others changed
              </Check>
            )}
          </>
        )}
        <Problem text={problem ?? (error === null || isFetching ? null : errorText(error))} />
      </form>
    </Dialog>
  );
}

function Runs({
  runs,
  transcript,
}: {
  readonly runs: readonly string[];
  readonly transcript: TranscriptStore;
}): ReactElement {
  return (
    <Part title={runsText(runs.length)}>
      {runs.map((runId) => (
        <li key={runId} className="truncate">
          {runName(transcript, runId)}
        </li>
      ))}
    </Part>
  );
}

function Files({ plan }: { readonly plan: ReturnType<typeof filePlanOf> }): ReactElement {
  const { restored, removed, kept } = plan;
  const isNothing = restored.length + removed.length === 0;
  return (
    <>
      {isNothing && <p className="text-muted">No file has to change.</p>}
      {restored.length > 0 && (
        <Part title="These files are restored:">
          {restored.map((file) => (
            <FileItem key={file.path} file={file} />
          ))}
        </Part>
      )}
      {removed.length > 0 && (
        <Part title="These files are removed:">
          {removed.map((file) => (
            <FileItem key={file.path} file={file} />
          ))}
        </Part>
      )}
      {kept.length > 0 && (
        <Part title="These files stay as they are:">
          {kept.map((each) => (
            <li key={each.path} className="wrap-anywhere">
              <span className="font-mono">{each.path}</span>
              <span className="text-muted">: {keptText(each)}</span>
            </li>
          ))}
        </Part>
      )}
    </>
  );
}

function FileItem({ file }: { readonly file: RewindReply["files"][number] }): ReactElement {
  return (
    <li className="flex items-baseline gap-2">
      <FileLetter change={file.change} />
      <span className="min-w-0 font-mono wrap-anywhere">{pathText(file)}</span>
    </li>
  );
}

/** A list that scrolls if it is long. */
function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <section>
      <h3 className="mb-1 text-sm">{title}</h3>
      <ul
        aria-label={title}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled with keys
        tabIndex={0}
        className="flex max-h-40 flex-col gap-0.5 overflow-y-auto rounded-md bg-sunken px-3 py-1.5 text-xs empty:hidden"
      >
        {children}
      </ul>
    </section>
  );
}
