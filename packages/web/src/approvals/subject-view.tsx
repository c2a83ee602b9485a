import type { ReactElement } from "react";
import { shortPath } from "../tools/short-path.ts";
import type { Subject } from "./subject.ts";

/** Everything wraps: hidden text must not be approved. */
export const WRAPPED = "whitespace-pre-wrap wrap-anywhere";

export interface SubjectViewProps {
  readonly subject: Subject;
  /** The title shows the whole command. */
  readonly isCommandShown: boolean;
  /** Paths are shown relative to this folder. */
  readonly root: string | null;
  /** Files whose changes are shown; the input of the tool is then folded. */
  readonly shownFiles: readonly string[];
}

/** Whether there is anything to show. */
export function hasSubject(props: SubjectViewProps): boolean {
  const { command, fields, files } = shownOf(props);
  return command !== null || fields.length > 0 || files.length > 0;
}

export function SubjectView(props: SubjectViewProps): ReactElement {
  const { command, fields, files } = shownOf(props);
  const description = fields.find(({ name }) => name === "description");
  const others = fields.filter((field) => field !== description);
  const hasInput = command !== null || others.length > 0;
  const input = hasInput && <Input command={command} fields={others} />;
  return (
    <div className="flex flex-col gap-2">
      {description !== undefined && <p className={`text-muted ${WRAPPED}`}>{description.text}</p>}
      {props.shownFiles.length === 0 ? (
        input
      ) : (
        <>
          {hasInput && (
            <details className="text-xs">
              <summary className="w-fit py-1 text-muted pointer-coarse:py-3.5">Raw input</summary>
              {input}
            </details>
          )}
        </>
      )}
      {files.length > 0 && (
        <ul aria-label="Files" className="flex flex-col gap-0.5">
          {files.map((file) => (
            <li key={file} className={`font-mono text-[13px] text-muted ${WRAPPED}`}>
              {shortPath(file, props.root)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Input({ command, fields }: Pick<Subject, "command" | "fields">): ReactElement {
  return (
    <div className="flex flex-col gap-2">
      {command !== null && (
        <pre className={`rounded-md bg-sunken px-3 py-2 font-mono text-[13px] ${WRAPPED}`}>
          {command}
        </pre>
      )}
      {fields.length > 0 && (
        <dl className="flex flex-col gap-1.5">
          {fields.map(({ name, text }) => (
            <div key={name} className="flex flex-col sm:flex-row sm:gap-3">
              <dt className={`shrink-0 text-xs text-muted sm:w-28 sm:pt-0.5 ${WRAPPED}`}>{name}</dt>
              <dd className={`min-w-0 flex-1 font-mono text-[13px] ${WRAPPED}`}>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function shownOf({
  subject,
  isCommandShown,
  root,
  shownFiles,
}: SubjectViewProps): Pick<Subject, "command" | "fields" | "files"> {
  const shown = new Set(shownFiles.map((file) => shortPath(file, root)));
  return {
    command: isCommandShown ? null : subject.command,
    fields: subject.fields,
    files: subject.files.filter((file) => !shown.has(shortPath(file, root))),
  };
}
