import { errorText } from "@holdfast/client";
import { useQuery } from "@tanstack/react-query";
import { useRef, type ReactElement } from "react";
import { changesQuery } from "../changes/changes-queries.ts";
import { countsText, filesText } from "../changes/counts.ts";
import { FileList } from "../changes/file-list.tsx";
import type { Scope } from "../changes/scope.ts";
import { FormSwitch } from "../diff/form-switch.tsx";
import { useFittingForm } from "../diff/use-fitting-form.ts";
import { HighlightProvider } from "../markdown/use-highlight.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/field.tsx";
import { Spinner } from "../ui/spinner.tsx";

/** The changes of a shared session or of one of its runs, to be read. */
export function SharedChanges({
  sessionId,
  scope,
  onClose,
}: {
  readonly sessionId: string;
  readonly scope: Scope;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Dialog open onClose={onClose} title="Changes" size="screen">
      <HighlightProvider>
        <Body sessionId={sessionId} scope={scope} />
      </HighlightProvider>
    </Dialog>
  );
}

function Body({
  sessionId,
  scope,
}: {
  readonly sessionId: string;
  readonly scope: Scope;
}): ReactElement {
  const { data, error } = useQuery(changesQuery(sessionId, scope));
  const body = useRef<HTMLDivElement>(null);
  const form = useFittingForm(body);
  return (
    <div ref={body} className="flex flex-col gap-3">
      <Problem text={error === null ? null : errorText(error)} />
      {data === undefined && error === null && (
        <p className="flex items-center gap-2 text-muted">
          <Spinner /> Comparing the files…
        </p>
      )}
      {data !== undefined && (
        <>
          <div className="flex min-h-7 items-center gap-2 text-xs">
            <p className="flex-1 text-muted tabular-nums">
              {filesText(data.counts.files)}, {countsText(data.counts)}
            </p>
            {form.canSplit && <FormSwitch form={form} onTooNarrow={() => {}} />}
          </div>
          <FileList
            sessionId={sessionId}
            scope={scope}
            changes={data}
            form={form.shown}
            canComment={false}
            isUnfolded={data.files.length <= 12}
          />
        </>
      )}
    </div>
  );
}
