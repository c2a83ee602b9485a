import fc from "fast-check";
import type { Command, Send, Update } from "../kernel/command.ts";
import { CONTINUITY_POLICIES, DELIVERY_MODES, DELIVERY_POLICIES } from "../delivery.ts";
import type { McpServers } from "../mcp-server.ts";
import { OUTCOMES, PHASES } from "../phase.ts";
import { currentRunOf, openSuspensionsOf, stateOf, type Session } from "../session.ts";
import * as make from "./commands.ts";

/** Whether the IDs of a command are the right ones, other existing ones, or unknown ones. */
type Aim = "right" | "other" | "wrong";

/** A command whose IDs are chosen when the session is known. */
export interface Intent {
  /** How far the clock moves before it. A negative value sets it back. */
  readonly waitMs: number;
  readonly aim: Aim;
  readonly want: Command | "onward";
}

const STEER_OUTCOMES = ["given", "injected", "queued", "unknown"] as const;
const SOME_SERVERS: McpServers = {
  echo: { type: "stdio", command: "echo", args: ["a"], env: {}, envFrom: { TOKEN: "MY_TOKEN" } },
  search: { type: "http", url: "https://example.com/mcp", headers: {}, headersFrom: {} },
};

const SOME_TREES = { now: "b", result: "a" };

/** With these weights runs often start, wait and end, and final commands are rare. */
const WANTS: readonly { readonly weight: number; readonly wants: readonly Intent["want"][] }[] = [
  { weight: 50, wants: ["onward"] },
  { weight: 34, wants: sends() },
  { weight: 12, wants: [make.startRun(0), make.startRun(0, make.HANDED)] },
  { weight: 8, wants: [make.handRun(0)] },
  { weight: 4, wants: [make.retryRun(0)] },
  { weight: 8, wants: STEER_OUTCOMES.map((outcome) => make.steerRun(0, 0, outcome)) },
  { weight: 8, wants: [make.steerRun(0, 0, "given"), make.send(0, { delivery: "steer" })] },
  { weight: 1, wants: [make.dropSteering(0)] },
  { weight: 2, wants: [make.requeueRun(0)] },
  {
    weight: 14,
    wants: [null, 3_000_000, 2_000_000].map((expiresAt) => make.suspendRun(0, "", { expiresAt })),
  },
  { weight: 12, wants: [make.answer(""), make.answer("", null)] },
  {
    weight: 4,
    wants: [make.closeSuspension("", "expired"), make.closeSuspension("", "withdrawn")],
  },
  { weight: 12, wants: [make.endRun(0), make.endRun(0, make.FAILED)] },
  { weight: 4, wants: [make.cancel()] },
  { weight: 2, wants: [make.release()] },
  { weight: 8, wants: [make.suspend("shutdown"), make.suspend("crash")] },
  { weight: 4, wants: [make.comeBack(), make.comeBack("its repository is gone")] },
  { weight: 3, wants: [make.resume()] },
  { weight: 3, wants: [make.editQueued(0)] },
  { weight: 5, wants: [-1, 0, 1, 2, 9].map((position) => make.moveQueued(0, position)) },
  { weight: 2, wants: [make.withdrawQueued(0)] },
  { weight: 12, wants: updates() },
  {
    weight: 3,
    wants: [
      make.recordResume(true, { session: "a" }),
      make.recordResume(true, { session: "b" }, "gemini"),
      make.recordResume(false, null),
      { ...make.recordResume(true, { session: "a" }), mode: "ask" },
    ],
  },
  {
    weight: 4,
    wants: [
      make.keepSettings({ mode: "auto" }),
      make.keepSettings({ mode: "plan", options: { effort: "high", fast: true } }),
      make.keepSettings({ provider: "other", model: "small", options: { effort: null } }),
      make.keepSettings({ options: { effort: "low" }, by: "server" }),
    ],
  },
  { weight: 3, wants: [make.suggestTitle("Trees"), make.suggestTitle("Fruit", "gemini")] },
  { weight: 3, wants: fileFacts() },
  { weight: 4, wants: [make.rewind(), make.rewind({ files: SOME_TREES })] },
  { weight: 2, wants: [make.rewind({ undoes: "" })] },
  { weight: 4, wants: [make.endRewind(), make.endRewind("", "the disk is full")] },
  {
    weight: 2,
    wants: OUTCOMES.flatMap((outcome) => [make.finalize(outcome), make.finalize(outcome, "done")]),
  },
  { weight: 2, wants: [make.archive()] },
  { weight: 1, wants: [make.fail()] },
  { weight: 1, wants: [make.remove()] },
  { weight: 3, wants: creates() },
];

const WAITS_MS = [0, 0, 1, 1_000, make.MINUTE_MS, make.DAY_MS, -1, -make.HOUR_MS];

export function anyIntents({ max }: { max: number }): fc.Arbitrary<readonly Intent[]> {
  const aim = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Aim>("right") },
    { weight: 2, arbitrary: fc.constantFrom<Aim>("other", "wrong") },
  );
  const intent = fc.record(
    {
      waitMs: fc.constantFrom(...WAITS_MS),
      aim,
      want: fc.oneof(
        ...WANTS.map(({ weight, wants }) => ({ weight, arbitrary: fc.constantFrom(...wants) })),
      ),
    },
    { noNullPrototype: true },
  );
  const first = fc
    .constantFrom(...creates())
    .map((want): Intent => ({ waitMs: 0, aim: "right", want }));
  return fc
    .tuple(first, fc.array(intent, { maxLength: max - 1, size: "max" }))
    .map(([head, rest]): readonly Intent[] => [head, ...rest]);
}

interface Scene {
  readonly session: Session | null;
  readonly at: number;
  readonly fresh: number;
}

/** The command with its time and IDs. `fresh` is the number of new messages and runs. */
export function commandOf(intent: Intent, scene: Scene): Command {
  const { aim } = intent;
  const { session, at, fresh } = scene;
  const want = intent.want === "onward" ? onward(scene) : intent.want;
  const ids = idsIn(session);
  const runId = pick(aim, ids.runs);
  const messageId = pick(aim, ids.queuedMessages);
  switch (want.type) {
    case "send":
      return { ...want, at, ...messageToSend(aim, scene) };
    case "start-run":
      return { ...want, at, runId: pick(aim, ids.queuedRuns) };
    case "hand-run":
    case "retry-run":
    case "requeue-run":
    case "drop-steering":
    case "end-run":
      return { ...want, at, runId };
    case "steer-run":
      return { ...want, at, runId, messageId: pick(aim, ids.steered) };
    case "cancel":
      return { ...want, at, ...(aim !== "right" && { runId }) };
    case "suspend-run": {
      const id = aim === "other" ? pick(aim, ids.suspensions) : `s${fresh}`;
      return { ...want, at, runId, suspension: { ...want.suspension, id, createdAt: at } };
    }
    case "answer":
    case "close-suspension":
      return { ...want, at, suspensionId: pick(aim, ids.suspensions) };
    case "record-files":
      return { ...want, at, record: { ...want.record, runId } };
    case "rewind": {
      const last = session?.rewind?.id ?? "unknown";
      const undoes = want.rewind.undoes === null ? null : last;
      const id = aim === "other" ? last : `w${fresh}-${at}`;
      return { ...want, at, rewind: { ...want.rewind, id, undoes } };
    }
    case "end-rewind":
      return { ...want, at, id: aim === "wrong" ? "unknown" : (session?.rewind?.id ?? "unknown") };
    case "edit-queued":
    case "move-queued":
    case "withdraw-queued":
      return { ...want, at, messageId };
    default:
      return { ...want, at };
  }
}

/** The usual next command of a session, so that random histories get far. */
function onward({ session, fresh }: Scene): Command {
  if (session === null) return make.create();
  switch (stateOf(session)) {
    case "idle":
      if (session.rewind?.status === "restoring") return make.endRewind(session.rewind.id);
      return session.queue.length > 0
        ? make.startRun(0)
        : make.send(0, { start: make.HANDED, maxQueued: 3 });
    case "running":
      return make.suspendRun(0, "");
    case "suspended":
      return fresh % 2 === 0 ? make.answer("") : make.suspendRun(0, "");
  }
}

function idsIn(session: Session | null) {
  const queue = session?.queue ?? [];
  const run = session === null ? null : currentRunOf(session);
  const queuedRuns = queue.map((entry) => entry.runId);
  return {
    queuedRuns: run === null ? queuedRuns : [...queuedRuns, run.id],
    runs: run === null ? queuedRuns : [run.id, ...queuedRuns],
    queuedMessages: queue.map((entry) => entry.messageId),
    steered: queue.flatMap(({ messageId, steer }) => (steer === undefined ? [] : [messageId])),
    suspensions: session === null ? [] : openSuspensionsOf(session).map(({ id }) => id),
  };
}

function pick(aim: Aim, ids: readonly string[]): string {
  const id = aim === "right" ? ids.at(0) : aim === "other" ? ids.at(-1) : undefined;
  return id ?? "unknown";
}

/** A new message, or a repeated one. */
function messageToSend(aim: Aim, { session, fresh }: Scene) {
  const run = session === null ? null : currentRunOf(session);
  const sentBefore = session?.queue.at(-1)?.messageId ?? run?.messageId;
  const messageId = aim === "other" && sentBefore !== undefined ? sentBefore : `m${fresh}`;
  return { messageId, runId: `r${fresh}` };
}

function sends(): Send[] {
  const starts = [null, make.START, make.HANDED];
  const plain = starts.map((start) => make.send(0, { start, maxQueued: 3 }));
  const chosen = DELIVERY_MODES.flatMap((delivery) =>
    plain.map((message) => ({ ...message, delivery })),
  );
  const further = CONTINUITY_POLICIES.map((continuity) =>
    make.send(0, { provider: "other", model: "large", continuity, maxQueued: 3 }),
  );
  const settings = { mode: "plan", options: { effort: "max" } };
  const set = starts.map((start) => make.send(0, { start, settings, maxQueued: 3 }));
  return [...plain, ...plain, ...chosen, ...further, ...set];
}

function updates(): Update[] {
  return [
    ...["open" as const, "open" as const, ...DELIVERY_POLICIES].map((delivery) =>
      make.update({ changes: { delivery } }),
    ),
    ...PHASES.slice(0, 6).map((phase) => make.update({ phase })),
    make.update({ phase: "abandoned" }),
    ...["e1", "e2"].map((id) => make.update({ error: { id, text: "out of memory" } })),
    make.update({ changes: { errorCount: 0 } }),
    make.update({ changes: { title: "Tidy up", provider: "other", model: "large" } }),
    make.update({ changes: { metadata: { task: "T1" } }, phase: "planning" }),
    make.update({ changes: { metadata: { task: { id: 2 }, tags: ["a"] } } }),
    make.update({ settings: { provider: "demo", mode: "auto", options: { effort: "low" } } }),
    make.update({ settings: { provider: "demo", mode: null, options: { effort: null } } }),
    make.update({ changes: { mcpServers: SOME_SERVERS, directories: ["/work/docs"] } }),
    make.update({ changes: { mcpServers: {}, directories: [] } }),
    make.update(),
  ];
}

function fileFacts(): Command[] {
  const [one, two] = ["a", "b"].map((tree) => ({ tree, head: "c" }));
  const counts = { files: 1, added: 2, deleted: 0 };
  const worktree = { folder: "/work/trees/one", branch: "holdfast/one", base: "c" };
  return [
    make.recordFiles({ ...(one !== undefined && { before: one }) }),
    make.recordFiles({ ...(two !== undefined && { after: two }), changes: counts, total: counts }),
    make.recordWorktree(worktree),
    make.recordWorktree(null),
    { type: "record-pull-request", at: make.NOON, url: "https://example.com/pull/7" },
  ];
}

function creates() {
  const workspace = { kind: "worktree", base: null, worktree: null } as const;
  return [
    ...Array.from({ length: 15 }, () => make.create()),
    make.create({ repoId: null }),
    ...Array.from({ length: 4 }, () => make.create({ workspace })),
  ];
}
