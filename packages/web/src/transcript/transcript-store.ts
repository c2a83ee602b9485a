import { applySuspension, MissingMessageError } from "@holdfast/client";
import type {
  Decision as WireDecision,
  FeedEvent,
  Message,
  OpenSuspension,
  Run,
  WholeSession,
} from "@holdfast/protocol";
import { createCommitClock, type Frames, pageFrames } from "./commit-clock.ts";
import { addText, createEntry, type Entry, isActive, replaceMessage } from "./entries.ts";
import { createKeyedListeners, createListeners, createStore } from "../api/store.ts";
import { callOf, createDecisions, type Decision, decisionOf } from "../tools/decision.ts";
import { callIdOf } from "../tools/tool-call.ts";
import { type Now, nowOf } from "./now/now.ts";
import { createEarlier, type EarlierMessages, keptBefore, type ReadEarlier } from "./earlier.ts";
import { type Lookups, lookupsIn } from "./lookups.ts";
import { createMarks } from "./marks/marks.ts";
import { createRowList } from "./row-list.ts";
import { createRunMarks } from "./run-marks.ts";
import { isActivity, type Row } from "./rows.ts";

/** The messages of a session as rows, kept outside of React so that a delta renders one row. */
export interface TranscriptStore extends Lookups {
  readonly sessionId: string;
  /** Always the same array. Rows are added or removed only when `getSnapshot` changes. */
  readonly rows: readonly Row[];
  /** Loads the session or its last messages, also after reading it again. */
  load(
    session: Pick<WholeSession, "messages" | "suspensions"> &
      Partial<Pick<WholeSession, "rewoundRuns" | "earlier" | "decisions">>,
  ): void;
  /** Applies an event; it is rendered with the next commit. Throws for text of an unknown message. */
  apply(event: FeedEvent): void;
  /** Applies what is known of earlier runs: what they changed, and whether they were taken back. */
  takeRuns(runs: readonly Run[]): void;
  /** Whether the message belongs to the conversation no more. */
  isRewound(message: Message): boolean;
  /** Notifies when rows are added or removed. */
  subscribe(listener: () => void): () => void;
  getSnapshot(): number;
  /** Changes when rows are added or removed in the middle. */
  readonly shape: number;
  /** Notifies when this row changes. */
  subscribeRow(key: string, listener: () => void): () => void;
  row(key: string): Row | null;
  /** The number of messages, with or without rows, loaded or not. */
  readonly size: number;
  /** Whether older messages have no rows yet. */
  readonly hasOlder: boolean;
  /** Adds rows for older messages, which may have to be loaded first. */
  revealOlder(): void;
  readonly earlier: EarlierMessages;
  /** Reveals a message and returns its row; -1 for an unknown message. */
  revealMessage(messageId: string): number;
  /** The time of the last message. */
  lastAt(): string | null;
  /** What the agent does now. */
  now(): Now;
  subscribeNow(listener: () => void): () => void;
  /** How the permission for a tool call was decided. */
  decision(message: Message): Decision | null;
  /** The open suspension of a tool call. */
  waiting(callId: string | null): OpenSuspension | null;
  /** Whether the user opened or closed it; undefined for neither. */
  isOpen(key: string): boolean | undefined;
  setOpen(key: string, open: boolean): void;
  /** Everything the user opened or closed. */
  openedByHand(): readonly (readonly [key: string, open: boolean])[];
  subscribeOpen(listener: () => void): () => void;
  /** Cancels the pending commit. */
  close(): void;
}

/** The work of a run that is looked at to say what it does now. */
const NOW_ENTRIES = 100;

export function createTranscript({
  sessionId,
  frames = pageFrames,
  pageSize = 200,
  readEarlier = async () => ({ messages: [], decisions: [] }),
  seenAt = null,
  today = null,
}: Partial<Parameters<typeof createMarks>[0]> & {
  readonly sessionId: string;
  readonly readEarlier?: ReadEarlier;
  readonly frames?: Frames;
  /** The number of messages that get rows at first, and with each step back. */
  readonly pageSize?: number;
}): TranscriptStore {
  /** Sorted by seq. */
  let entries: Entry[] = [];
  let byId = new Map<string, Entry>();
  /** Entries before this one have no rows yet. */
  let from = 0;
  let dirty = new Set<Entry>();
  let added: Entry[] = [];
  let mustRebuild = false;
  let suspensions = new Map<string, OpenSuspension>();
  const opened = new Map<string, boolean>();
  const openListeners = createListeners();
  const structure = createListeners();
  const rowListeners = createKeyedListeners();
  const marks = createRunMarks();
  const decisions = createDecisions();
  const lines = createMarks({ seenAt, today });
  /** Runs that events have told about: what was read earlier is older. */
  const told = new Set<string>();
  const list = createRowList({
    tell: rowListeners.notify,
    marks,
    isOpen: (key) => opened.get(key) === true,
    before: lines.before,
  });
  const now = createStore<Now>(null);
  /** The reader is at the first row, and waits for older messages. */
  let wantsOlder = false;
  let version = 0;
  let shape = 0;

  const commit = (): void => {
    commitRows();
    const words = nowOf(entries.slice(-NOW_ENTRIES).map(({ message }) => message));
    if (words !== now.current()) now.set(words);
  };

  const commitRows = (): void => {
    let changed = false;
    if (mustRebuild) {
      from = startAt(from);
      list.rebuild(entries, from);
      shape += 1;
      changed = true;
    } else {
      for (const entry of added) changed = list.append(entries, entry) || changed;
      for (const entry of dirty) changed = list.update(entries, entry) || changed;
    }
    dirty = new Set();
    added = [];
    mustRebuild = false;
    if (!changed) return;
    version += 1;
    structure.notify();
  };

  const clock = createCommitClock(commit, frames);

  const takeMessage = (message: Message): void => {
    const old = byId.get(message.id);
    if (old !== undefined) {
      if (isActivity(old.message) !== isActivity(message)) mustRebuild = true;
      replaceMessage(old, message);
      dirty.add(old);
      return;
    }
    // It will be loaded as it is then.
    if (earlier.count > 0 && message.seq < firstSeq()) return;
    const entry = createEntry(message);
    byId.set(message.id, entry);
    if (isMarked(message)) mustRebuild = true;
    const at = entries.findLastIndex((other) => other.message.seq < message.seq) + 1;
    if (at === entries.length) {
      entries.push(entry);
      added.push(entry);
    } else {
      entries.splice(at, 0, entry);
      if (at < from) from += 1;
      mustRebuild = true;
    }
  };

  /** Its run is folded away, or has a line at its end. */
  const isMarked = ({ runId }: Message): boolean =>
    runId !== null && (marks.isRewound(runId) || marks.changesOf(runId) !== null);

  /** True if the rows must be made again. */
  const takeRun = (run: Run): boolean => {
    const isDifferent = marks.take(run);
    if (isDifferent) mustRebuild = true;
    return isDifferent;
  };

  const openFold = (entry: Entry): void => {
    const fold = list.foldOf(entry);
    if (fold === null || opened.get(fold) === true) return;
    setOpen(fold, true);
  };

  const setOpen = (key: string, open: boolean): void => {
    opened.set(key, open);
    if (list.row(key)?.row === "rewound") {
      mustRebuild = true;
      commit();
    }
    openListeners.notify();
  };

  const takeSuspensions = (open: readonly OpenSuspension[]): void => {
    const before = suspensions;
    suspensions = new Map(open.flatMap((each) => callOf(each)));
    for (const entry of entries) {
      const callId = callIdOf(entry.message.content);
      if (callId !== null && before.get(callId) !== suspensions.get(callId)) dirty.add(entry);
    }
  };

  const takeDecision = (decided: WireDecision | null): void => {
    if (decided === null || !decisions.take(decided)) return;
    for (const entry of entries) if (decisions.of(entry.message) !== null) dirty.add(entry);
  };

  /** Moves the start so that neither an activity nor a fold is split. */
  const startAt = (index: number): number => {
    let start = Math.max(0, index);
    while (start > 0 && isJoined(start)) start -= 1;
    return Math.max(start, firstStart());
  };

  /** The first possible start: the rows of the first messages depend on those that are not loaded. */
  const firstStart = (): number => {
    if (earlier.count === 0) return 0;
    for (let start = 1; start < entries.length; start += 1) if (!isJoined(start)) return start;
    return 0;
  };

  /** Whether a message is in the same row or fold as the one before. */
  const isJoined = (index: number): boolean => {
    const pair = [entries[index], entries[index - 1]];
    return pair.every(isActive) || pair.every(isFolded);
  };

  const firstSeq = (): number => entries[0]?.message.seq ?? Infinity;

  const earlier = createEarlier({
    read: readEarlier,
    before: firstSeq,
    isShown: (messageId) => {
      const entry = byId.get(messageId);
      return entry !== undefined && entries.indexOf(entry) >= firstStart();
    },
    add({ messages, decisions: decided }) {
      for (const each of decided) decisions.take(each);
      const older = messages.filter(({ id }) => !byId.has(id)).map((each) => createEntry(each));
      for (const entry of older) byId.set(entry.message.id, entry);
      entries = [...older, ...entries];
      lines.look(entries, false);
      const isSplit = from === 0 && isJoined(older.length);
      from += older.length;
      if (isSplit) mustRebuild = true;
      if (!isSplit && !wantsOlder) return;
      wantsOlder = false;
      reveal(from - pageSize);
    },
  });

  const isFolded = (entry: Entry | undefined): boolean =>
    entry !== undefined && marks.isRewound(entry.message.runId);

  const reveal = (index: number): void => {
    const start = startAt(index);
    commit();
    if (start >= from) return;
    from = start;
    list.prepend(entries, from);
    version += 1;
    structure.notify();
  };

  return {
    sessionId,
    rows: list.rows,
    load({
      messages,
      suspensions: open,
      rewoundRuns = [],
      earlier: before = 0,
      decisions: decided = [],
    }) {
      clock.cancel();
      marks.setRewound(rewoundRuns);
      for (const each of decided) decisions.take(each);
      told.clear();
      const first = entries[from];
      const isFirstLoad = entries.length === 0;
      const kept = before === 0 ? [] : keptBefore(entries, messages);
      earlier.reset(before - kept.length);
      byId = new Map(
        [...kept, ...messages].map((message) => {
          const entry = byId.get(message.id) ?? createEntry(message);
          if (entry.message !== message) replaceMessage(entry, message);
          return [message.id, entry];
        }),
      );
      entries = [...byId.values()].toSorted((a, b) => a.message.seq - b.message.seq);
      const at = isFirstLoad || first === undefined ? -1 : entries.indexOf(first);
      from = at === -1 ? startAt(entries.length - pageSize) : startAt(at);
      lines.look(entries, isFirstLoad);
      takeSuspensions(open);
      mustRebuild = true;
      commit();
    },
    apply(event) {
      switch (event.type) {
        case "message":
          takeMessage(event.data);
          break;
        case "delta": {
          const entry = byId.get(event.data.messageId);
          if (entry === undefined) throw new MissingMessageError(event.data.messageId);
          addText(entry, event.data.text);
          dirty.add(entry);
          break;
        }
        case "session":
          takeSuspensions(event.data.suspensions);
          break;
        case "suspension":
          takeSuspensions(applySuspension([...suspensions.values()], event.data));
          takeDecision(decisionOf(event.data));
          break;
        case "run":
          told.add(event.data.id);
          if (!takeRun(event.data)) return;
          break;
        case "queue":
        case "phase":
        case "deleted":
        case "reset":
          return;
        default:
          event satisfies never;
      }
      clock.request();
    },
    takeRuns(runs) {
      const past = runs.filter(({ id }) => !told.has(id));
      if (past.map(takeRun).includes(true)) clock.request();
    },
    isRewound: ({ runId }) => marks.isRewound(runId),
    subscribe: structure.add,
    getSnapshot: () => version,
    get shape() {
      return shape;
    },
    subscribeRow: rowListeners.add,
    row: (key) => list.row(key),
    get size() {
      return entries.length + earlier.count;
    },
    get hasOlder() {
      return from > 0 || earlier.count > 0;
    },
    revealOlder() {
      reveal(from - pageSize);
      if (earlier.count === 0 || from >= pageSize) return;
      wantsOlder = from <= firstStart();
      void earlier.load();
    },
    earlier,
    revealMessage(messageId) {
      const entry = byId.get(messageId);
      if (entry === undefined) return -1;
      const at = entries.indexOf(entry);
      if (at < from) reveal(at - Math.floor(pageSize / 4));
      openFold(entry);
      return list.indexOf(entry);
    },
    ...lookupsIn({ entries: () => entries, find: (id) => byId.get(id), isFolded }),
    lastAt: () => entries.at(-1)?.message.timestamp ?? null,
    now: now.current,
    subscribeNow: now.subscribe,
    decision: decisions.of,
    waiting: (callId) => (callId === null ? null : (suspensions.get(callId) ?? null)),
    isOpen: (key) => opened.get(key),
    setOpen,
    openedByHand: () => [...opened],
    subscribeOpen: openListeners.add,
    close: () => clock.cancel(),
  };
}
