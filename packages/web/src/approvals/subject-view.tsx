import type { ReactElement } from "react";
import { shortPath } from "../tools/short-path.ts";
import type { Subject } from "./subject.ts";

/** Everything wraps: hidden text must not be approved. */
export const WRAPPED = "whitespace-pre-wrap wrap-anywhere";

interface SubjectViewProps {
  readonly subject: Subject;
  /** A command equal to the title is not repeated. */
  readonly title: string;
  /** Paths are shown relative to this folder. */
  readonly root: string | null;
  /** Files whose changes are shown below. */
  readonly shownFiles: ReadonlySet<string>;
}

/** Whether there is anything to show. */
export function hasSubject(props: SubjectViewProps): boolean {
  const { command, fields, files } = shownOf(props);
  return command !== null || fields.length > 0 || files.length > 0;
}

export function SubjectView(props: SubjectViewProps): ReactElement {
  const { command, fields, files } = shownOf(props);
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

function shownOf({ subject, title, shownFiles }: SubjectViewProps): Subject {
  return {
    ...subject,
    command: subject.command === title ? null : subject.command,
    files: subject.files.filter((file) => !shownFiles.has(file)),
  };
}
