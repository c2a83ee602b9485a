import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { say, script } from "../../providers/testing/script.ts";
import { openStore } from "../../storage/open-store.ts";
import type { Store } from "../../storage/store.ts";
import type { FeedItem } from "../feeds/feed.ts";
import { openOffline } from "../open-offline.ts";
import { createRepositories } from "../repositories/repositories.ts";
import type { Requests } from "../requests/requests.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";
import { openWorkspaceRoot } from "../repositories/workspace-root.ts";

let test: TestRuntime;
let outside: Store;
let commands: Requests;
let seen: FeedItem["change"][];

beforeEach(async () => {
  test = await TestRuntime.open();
  outside = await openStore(test.location, { clock: Date.now, ownThread: true });
  const root = await openWorkspaceRoot(test.folder, { onViolation: () => {} });
  commands = openOffline({
    store: outside,
    catalog: {
      get: () => null,
      all: () => [],
      defaultName: "demo",
      makeDefault: () => {},
    },
    repositories: createRepositories({
      store: outside,
      root,
      newId: randomUUID,
      clock: Date.now,
    }),
    clock: Date.now,
    newId: randomUUID,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    forgetSession: async () => {},
  });
  seen = [];
});
afterEach(async () => {
  await outside.close();
  await test.close();
});

/** Reads items until one of that kind arrives. */
function until(type: FeedItem["change"]["type"], sessionId: string | null): Promise<void> {
  const came = Promise.withResolvers<void>();
  const onItem = ({ change }: FeedItem): boolean => {
    seen.push(change);
    if (change.type === type && seen.length > 1) came.resolve();
    return true;
  };
  const onEnd = (): void => came.resolve();
  if (sessionId === null) test.runtime.openGlobalFeed({ after: null, onItem, onEnd });
  else
    void test.runtime.openFeed({ sessionId, after: 0, onItem, onEnd }).then((opened) => ok(opened));
  return came.promise;
}

describe("a write of another process beside a running server", () => {
  it("makes whoever watches the list read it again (B1)", async () => {
    const told = until("reset", null);
    ok(await commands.createSession({ ...NOTHING, agentId: "agent-1" }));
    await told;
    expect(seen).toEqual([{ type: "reset" }, { type: "reset" }]);
  });

  it("reaches whoever watches the session, up to its deletion (C7)", async () => {
    const id = await test.createSession();
    const phased = until("phase", id);
    ok(await commands.updateSession({ sessionId: id, changes: {}, phase: "planning" }));
    await phased;
    const gone = until("deleted", id);
    ok(await commands.deleteSession({ sessionId: id }));
    await gone;
    expect(seen.at(-1)).toEqual({ type: "deleted", sessionId: id });
  });

  it("is taken up: a message left in the queue is delivered (C1)", async () => {
    const id = await test.createSession();
    const executed = await outside.load(id);
    if (executed.found !== "session") throw new Error("unreachable: it was just made");
    const messageId = randomUUID();
    const entry = {
      messageId,
      runId: randomUUID(),
      provider: null,
      model: null,
      continuity: "auto",
      attempts: 0,
    } as const;
    await outside.commit({
      before: executed.stored,
      events: [{ type: "message.queued", at: Date.now(), entry, position: 0 }],
      contents: { [messageId]: { type: "text", text: script(say("Here I am.")) } },
    });
    await test.until(id, ({ messages }) => messages.length > 1);
    await test.idle(id);
  });
});

const NOTHING = {
  repoId: null,
  title: null,
  provider: null,
  model: null,
  agentName: null,
  purpose: null,
  metadata: {},
  message: null,
  idempotency: null,
} as const;
