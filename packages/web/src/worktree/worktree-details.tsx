import type { Session } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { CopyButton } from "../markdown/copy-button.tsx";

/** The branch and the folder of a session with a worktree of its own. */
export function WorktreeDetails({ worktree }: Pick<Session, "worktree">): ReactElement {
  if (worktree === null)
    return (
      <p className="text-muted">
        The session gets a worktree of its own. It is made when the first run starts.
      </p>
    );
  const { branch, path, base } = worktree;
  return (
    <dl className="flex flex-col gap-3">
      <Fact name="Branch" value={branch} />
      <Fact name="Folder" value={path} />
      <Fact name="Began at" value={base} />
    </dl>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <div>
      <dt className="font-medium">{name}</dt>
      <dd className="flex items-center gap-2">
        <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere text-muted">{value}</span>
        <CopyButton label={`Copy: ${name}`} text={() => value} />
      </dd>
    </div>
  );
}
