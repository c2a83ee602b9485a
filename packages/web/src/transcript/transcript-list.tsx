import { elementScroll, useVirtualizer } from "@tanstack/react-virtual";
import {
  type ReactElement,
  type Ref,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { ArrowDown } from "lucide-react";
import "./transcript.css";
import "../tools/tools.css";
import { useStore } from "../api/store.ts";
import { Spinner } from "../ui/spinner.tsx";
import { HighlightProvider } from "../markdown/use-highlight.tsx";
import { ToolContext, type ToolSurroundings } from "../tools/tool-context.tsx";
import { loaded } from "../ui/loaded.tsx";
import type { Find } from "./find.ts";
import type { TranscriptStore } from "./transcript-store.ts";
import { RowView } from "./row-view.tsx";
import { NowLine, type RunningNow } from "./now/now-line.tsx";
import type { Row } from "./rows.ts";
import { TranscriptContext, type TranscriptSurroundings } from "./transcript-context.tsx";
import {
  distanceFromEnd,
  farDown,
  openAround,
  PADDING_START,
  startOf,
  toMeasurements,
  useKeptPlace,
  useSavedPlace,
  useStayAtEnd,
} from "./use-place.ts";

/** Loaded with the first hit. */
const FoundHits = loaded(() => import("./found-hits.tsx").then((m) => m.FoundHits));

export interface TranscriptHandle {
  /** False when there is no such message. It may have to be loaded first. */
  scrollToMessage(messageId: string): Promise<boolean>;
  /** Stays there until the reader looks at another place. */
  scrollToEnd(): void;
  /** Scrolls to the previous or next message of a user. */
  stepUser(step: -1 | 1): Promise<void>;
}

/** Positions this close to the end count as the end. */
const END_PX = 24;
/** Older messages are added when this many rows are left above. */
const ROWS_AHEAD = 8;

/** How long the target of a link is highlighted. */
const SHOWN_MS = 2_000;

/** The target of a link, and its row. */
interface Shown {
  readonly rowKey: string;
  readonly messageId: string;
}

interface ListProps {
  readonly store: TranscriptStore;
  readonly find: Find;
  readonly ref: Ref<TranscriptHandle>;
  /** The run that is on; null if there is none. */
  readonly running: RunningNow | null;
}

/** The messages and tool calls of a session. */
export function Transcript({
  store,
  runLabel,
  noticeAction,
  moreActions,
  linkTo,
  onChanges,
  root,
  ...list
}: ListProps & TranscriptSurroundings & Pick<ToolSurroundings, "root">): ReactElement {
  const rows = useMemo(
    () => ({ store, runLabel, noticeAction, moreActions, linkTo, onChanges }),
    [store, runLabel, noticeAction, moreActions, linkTo, onChanges],
  );
  const tools = useMemo(() => ({ ...store, root }), [store, root]);
  return (
    <HighlightProvider>
      <ToolContext value={tools}>
        <TranscriptContext value={rows}>
          <TranscriptList key={store.sessionId} store={store} {...list} />
        </TranscriptContext>
      </ToolContext>
    </HighlightProvider>
  );
}

/** The virtual list of rows. */
function TranscriptList({ store, find, ref, running }: ListProps): ReactElement {
  const place = useSavedPlace(store);
  useSyncExternalStore(store.subscribe, store.getSnapshot);
  const hasHits = useSyncExternalStore(find.subscribe, () => find.current().hits.length > 0);
  const list = useRef<HTMLElement | null>(null);
  const [leftAt, setLeftAt] = useState<number | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const { shape } = store;
  // Stable functions while rows keep their positions: new ones make the virtualiser measure everything again.
  const getItemKey = useMemo(
    () => (index: number) => store.rows[index]?.key ?? `${shape}/${index}`,
    [store, shape],
  );
  const estimateSize = useMemo(() => (index: number) => store.rows[index]?.estimate ?? 40, [store]);
  const [measurements] = useState(() => toMeasurements(place));
  const [start] = useState(() => startOf(store, place));
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count: store.rows.length,
    getScrollElement: () => list.current,
    getItemKey,
    estimateSize,
    overscan: 4,
    paddingStart: PADDING_START,
    paddingEnd: 16,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    directDomUpdates: true,
    directDomUpdatesMode: "position",
    initialMeasurementsCache: measurements,
    scrollToFn: (offset, options, instance) => {
      stay.wrote(offset + (options.adjustments ?? 0));
      elementScroll(offset, options, instance);
    },
    initialOffset: () => start ?? farDown(store),
    onChange: (instance) => {
      stay.look();
      const isAway = distanceFromEnd(virtualizer) > END_PX * 2;
      setLeftAt((before) => (isAway ? (before ?? store.size) : null));
      // Before the first scroll the list may still be moving to its initial position.
      if (!instance.isScrolling || (instance.range?.startIndex ?? Infinity) >= ROWS_AHEAD) return;
      if (store.hasOlder) queueMicrotask(store.revealOlder);
    },
  });
  useKeptPlace(store, virtualizer);
  const stay = useStayAtEnd(virtualizer, list, { endPx: END_PX, isFromStart: start === null });
  useEffect(() => {
    const { scrollRect } = virtualizer;
    const isShort = scrollRect !== null && virtualizer.getTotalSize() < scrollRect.height;
    if (isShort && store.hasOlder) store.revealOlder();
  });

  const goTo = (index: number, align: "start" | "center"): void => {
    stay.end();
    virtualizer.scrollToIndex(index, { align });
  };
  const scrollToMessage = async (messageId: string): Promise<boolean> =>
    showMessage(messageId) ||
    ((await store.earlier.loadUntil(messageId)) && showMessage(messageId));
  const showMessage = (messageId: string): boolean => {
    const index = store.revealMessage(messageId);
    const row = store.rows[index];
    if (row === undefined) return false;
    stay.end();
    openAround(store, row, messageId);
    setShown({ rowKey: row.key, messageId });
    return true;
  };
  const scrollToEnd = stay.begin;
  useImperativeHandle(ref, () => ({
    scrollToMessage,
    scrollToEnd,
    async stepUser(step) {
      const at = virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + 1);
      const current = at === undefined ? null : (store.rows[at.index]?.messageId ?? null);
      let target = store.stepUser(current, step);
      while (target === null && step === -1 && (await store.earlier.load()))
        target = store.stepUser(current, step);
      if (target !== null) await scrollToMessage(target);
      else if (step === 1) scrollToEnd();
    },
  }));

  useEffect(() => {
    if (shown === null) return undefined;
    goTo(store.revealMessage(shown.messageId), "start");
    const frame = requestAnimationFrame(() => focusOn(shown.messageId));
    const timer = setTimeout(() => setShown(null), SHOWN_MS);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
    // Runs once for each target.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shown]);

  return (
    <div className="transcript">
      <div className="transcript-body">
        {/* The log itself is silent; the page's status region announces changes. */}
        <section
          ref={list}
          className="transcript-list"
          role="log"
          aria-live="off"
          aria-label="Transcript"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled with keys
          tabIndex={0}
        >
          <div ref={virtualizer.containerRef} className="transcript-rows">
            {virtualizer.getVirtualItems().map(({ key, index }) => (
              <div
                key={key}
                ref={virtualizer.measureElement}
                className="transcript-row"
                data-index={index}
                data-row=""
                data-message={messageOf(store.rows[index])}
                data-shown={shown?.rowKey === key ? "" : undefined}
              >
                <RowView rowKey={String(key)} />
              </div>
            ))}
          </div>
        </section>
        <EarlierSign store={store} />
        {hasHits && <FoundHits {...{ store, find, list, goTo }} />}
        {leftAt !== null && (
          <JumpButton fresh={Math.max(0, store.size - leftAt)} onJump={scrollToEnd} />
        )}
      </div>
      {running !== null && <NowLine store={store} running={running} />}
    </div>
  );
}

const WITHOUT_TEXT: ReadonlySet<Row["row"]> = new Set(["rewound", "changes", "mark"]);

/** The message whose text the row shows. */
function messageOf(row: Row | undefined): string | undefined {
  return row === undefined || WITHOUT_TEXT.has(row.row) ? undefined : row.messageId;
}

/** A message inside a high row can still be off the screen. */
function focusOn(messageId: string): void {
  const element = document.getElementById(messageId);
  element?.focus({ preventScroll: true });
  if (element?.matches("[data-message]") === true) element.scrollIntoView({ block: "nearest" });
}

/** Says that older messages are being loaded. */
function EarlierSign({ store: { earlier } }: Pick<ListProps, "store">): ReactElement | null {
  return useStore(earlier.loading) ? (
    <p className="earlier-sign">
      <Spinner /> Loading older messages…
    </p>
  ) : null;
}

/** Leads back to the end. */
function JumpButton({
  fresh,
  onJump,
}: {
  /** The number of new messages. */
  readonly fresh: number;
  readonly onJump: () => void;
}): ReactElement {
  return (
    <button type="button" className="jump-button touch-target" onClick={onJump}>
      <ArrowDown aria-hidden size={14} />
      {fresh === 0 ? "Jump to latest" : `Jump to latest · ${fresh.toLocaleString("en")} new`}
    </button>
  );
}
