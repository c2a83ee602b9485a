import type { OpenSuspension } from "@holdfast/protocol";
import type { ReactElement } from "react";
import type { FileChange } from "../../approvals/change-view.tsx";
import { useChanges } from "../../approvals/inbox/use-changes.ts";
import { Hits } from "../rows/hits.tsx";
import { hasChanges, requestText } from "./request-text.ts";

interface RequestLineProps {
  readonly sessionId: string;
  readonly suspension: OpenSuspension;
  readonly query: string | undefined;
}

const NONE: readonly FileChange[] = [];

/** What a session asks for, in a line: "Run npm test" or "Edit retry.ts +2 −2". */
export function RequestLine(props: RequestLineProps): ReactElement {
  const { suspension, query } = props;
  if (hasChanges(suspension)) return <ChangeLine {...props} />;
  return <Hits text={requestText(suspension, NONE)} query={query} />;
}

/** The changes are in the tool call, which is read once. */
function ChangeLine({ sessionId, suspension, query }: RequestLineProps): ReactElement {
  const changes = useChanges(sessionId, suspension);
  const known = changes.are === "known" ? changes.changes : NONE;
  return <Hits text={requestText(suspension, known)} query={query} />;
}
