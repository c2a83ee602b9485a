import type { ReactElement } from "react";
import { CompletionList } from "./completion-list.tsx";
import type { Mentions } from "./use-mention.ts";

/** Files of the repository: their names, and where they are. */
export function MentionList({
  mentions,
  onChoose,
}: {
  readonly mentions: Mentions;
  readonly onChoose: (path: string) => void;
}): ReactElement {
  return (
    <CompletionList
      completion={mentions}
      label="Files of the repository"
      counted={["file", "files"]}
      keyOf={(path) => path}
      note={mentions.isCut ? "The repository is large: not all of its files were looked at." : null}
      onChoose={onChoose}
    >
      {(path) => <Path path={path} />}
    </CompletionList>
  );
}

function Path({ path }: { readonly path: string }): ReactElement {
  const nameAt = path.lastIndexOf("/") + 1;
  return (
    <span className="min-w-0 font-mono text-[13px] [overflow-wrap:anywhere]">
      <span className="text-muted">{path.slice(0, nameAt)}</span>
      {path.slice(nameAt)}
    </span>
  );
}
