import type { Message, OpenSuspension } from "@holdfast/protocol";
import { useMemo, type ReactElement, type ReactNode, type Ref } from "react";
import "./transcript.css";
import "../tools/tools.css";
import { HighlightProvider } from "../markdown/use-highlight.tsx";
import { ToolContext } from "../tools/tool-context.tsx";
import type { Find } from "./find.ts";
import { TranscriptContext, type NoticeAction } from "./transcript-context.tsx";
import { TranscriptList, type TranscriptHandle } from "./transcript-list.tsx";
import type { TranscriptStore } from "./transcript-store.ts";

export interface TranscriptProps {
  readonly store: TranscriptStore;
  readonly find: Find;
  readonly ref?: Ref<TranscriptHandle>;
  /** Called at the first message. */
  readonly onReachStart?: () => void;
  /** The agent of a run, such as its provider and model. */
  readonly runLabel?: (runId: string) => string | null;
  readonly noticeAction?: (message: Message) => NoticeAction | null;
  /** Renders the answer of a waiting tool call. */
  readonly renderWaiting?: (suspension: OpenSuspension) => ReactNode;
  /** The repository's folder; paths are shown relative to it. */
  readonly root?: string | null;
}

const NOTHING = (): null => null;

/** The messages and tool calls of a session. */
export function Transcript({
  store,
  find,
  ref,
  onReachStart,
  runLabel = NOTHING,
  noticeAction = NOTHING,
  renderWaiting = NOTHING,
  root = null,
}: TranscriptProps): ReactElement {
  const rows = useMemo(() => ({ store, runLabel, noticeAction }), [store, runLabel, noticeAction]);
  const tools = useMemo(() => ({ ...store, renderWaiting, root }), [store, renderWaiting, root]);
  return (
    <HighlightProvider>
      <ToolContext value={tools}>
        <TranscriptContext value={rows}>
          <TranscriptList
            key={store.sessionId}
            store={store}
            find={find}
            ref={ref}
            onReachStart={onReachStart}
          />
        </TranscriptContext>
      </ToolContext>
    </HighlightProvider>
  );
}
