import type { ChangedFile } from "@holdfast/protocol";
import { errorText } from "@holdfast/client";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { FoldLine } from "../tools/fold-line.tsx";
import { Badge } from "../ui/badge.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { fileDiffQuery } from "./changes-queries.ts";
import { FileLetter } from "./file-letter.tsx";
import { hasLines, isBinary, modeText, pathText } from "./file-texts.ts";
import type { DiffForm } from "../diff/diff-choice.ts";
import { PatchView } from "../diff/patch-view.tsx";
import { commentCount } from "../comments/comment-text.ts";
import { useComments } from "../comments/page-comments.ts";
import type { Scope } from "./scope.ts";

export interface FileViewProps {
  readonly sessionId: string;
  readonly form: DiffForm;
  readonly canComment: boolean;
  readonly isUnfolded?: boolean;
}

interface FileProps extends FileViewProps {
  readonly scope: Scope;
  readonly file: ChangedFile;
}

/** A changed file, which unfolds its diff. */
export function FileRow(props: FileProps): ReactElement {
  const { file, isUnfolded = false } = props;
  const [isOpen, setOpen] = useState(isUnfolded);
  return (
    <li className="file-row">
      <FoldLine
        open={isOpen}
        onToggle={() => setOpen(!isOpen)}
        icon={<FileLetter change={file.change} />}
        aside={<FileMarks {...props} />}
        details={<FileDetails {...props} />}
      >
        <span className="font-mono text-xs text-fg">{pathText(file)}</span>
      </FoldLine>
    </li>
  );
}

const BY = { others: "by others", both: "also by others" } as const;
const BY_TITLES = {
  others: "It changed only while no run of this session was at work.",
  both: "It changed in a run of this session, and also at another time.",
} as const;

function FileMarks({ file, sessionId }: FileProps): ReactElement {
  const { by, added, deleted, path } = file;
  const comments = useComments(sessionId).filter((comment) => comment.path === path).length;
  return (
    <span className="fold-aside ml-auto flex items-center gap-1.5">
      {comments > 0 && <Badge tone="accent">{commentCount(comments)}</Badge>}
      {by !== "session" && (
        <span title={BY_TITLES[by]}>
          <Badge tone="warn">{BY[by]}</Badge>
        </span>
      )}
      {isBinary(file) && <span>binary</span>}
      {hasLines(file) && (
        <>
          <span className="text-ok">+{added}</span>
          <span className="text-danger">−{deleted}</span>
        </>
      )}
    </span>
  );
}

function FileDetails({ sessionId, scope, file, form, canComment }: FileProps): ReactElement {
  const { path } = file;
  const query = fileDiffQuery(sessionId, scope, path);
  const { data, error, isFetching } = useQuery(query);
  const mode = modeText(file);
  return (
    <div className="flex flex-col gap-1.5">
      {mode !== null && <p className="text-xs text-muted">{mode}</p>}
      {data !== undefined && (
        <PatchView
          sessionId={sessionId}
          form={form}
          canComment={canComment}
          diffKey={JSON.stringify(query.queryKey)}
          path={path}
          patch={data.patch}
          isCut={data.isCut}
        />
      )}
      {data === undefined && isFetching && (
        <p className="flex items-center gap-2 text-xs text-muted">
          <Spinner /> Loading the diff…
        </p>
      )}
      {error !== null && !isFetching && (
        <p role="alert" className="text-xs text-danger">
          {errorText(error)}
        </p>
      )}
    </div>
  );
}
