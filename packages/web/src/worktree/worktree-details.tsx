import type { Session } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { branchQuery } from "../keep/keep-queries.ts";
import { PullRequestLink } from "../keep/pull-request-link.tsx";
import { CopyButton } from "../markdown/copy-button.tsx";

/** The branch, the folder and the pull request of a session with a worktree of its own. */
export function WorktreeDetails({ id, worktree }: Pick<Session, "id" | "worktree">): ReactElement {
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
      <PullRequest id={id} />
    </dl>
  );
}

function PullRequest({ id }: Pick<Session, "id">): ReactElement | null {
  const address = useQuery(branchQuery(id)).data?.pullRequest ?? null;
  if (address === null) return null;
  return (
    <div>
      <dt className="font-medium">Pull request</dt>
      <dd className="text-xs">
        <PullRequestLink address={address} />
      </dd>
    </div>
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
