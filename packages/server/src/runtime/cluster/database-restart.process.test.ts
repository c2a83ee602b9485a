import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  ask,
  exit,
  flood,
  say,
  script,
  stamp,
  waitFor,
  write,
} from "../../providers/testing/script.ts";
import { openMigrations, openStore } from "../../storage/open-store.ts";
import { startPostgresServer, type PostgresServer } from "../../storage/testing/postgres-server.ts";
import { openTcpProxy, PASS, type TcpProxy } from "../../storage/testing/tcp-proxy.ts";
import { textIn } from "../../storage/testing/session-driver.ts";
import type { TestStore } from "../../storage/testing/test-database.ts";
import type { FeedEnd, FeedItem } from "../feeds/feed.ts";
import type { WholeSession } from "../runtime.ts";
import { ok, TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

/** Long enough for any machine to restart its database in. */
const LEASE = { leaseMs: 600_000 };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server.stop());

async function openDatabase(): Promise<TestStore> {
  await server.up();
  const location = { engine: "postgres", url: server.url } as const;
  await (await openMigrations(location)).up();
  const store = await openStore(location, { clock: Date.now });
  return { store, location, close: () => store.close() };
}

async function openNode(options: TestRuntimeOptions): Promise<TestRuntime> {
  const node = await TestRuntime.open({ ...options, database: await openDatabase() });
  onTestFinished(async () => {
    await server.up();
    await node.close();
  });
  return node;
}

/** A node whose way to the database can be cut. */
async function openNodeBehind(): Promise<{ readonly node: TestRuntime; readonly way: TcpProxy }> {
  const database = await openDatabase();
  const url = new URL(server.url);
  const way = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = `${way.port}`;
  const store = await openStore({ engine: "postgres", url: url.href }, { clock: Date.now });
  const close = async (): Promise<void> => {
    await store.close();
    await database.close();
    await way.close();
  };
  const { location } = database;
  const node = await TestRuntime.open({ member: LEASE, database: { store, location, close } });
  onTestFinished(async () => {
    await server.up();
    way.set(PASS);
    await node.close();
  });
  return { node, way };
}

/** A file by which an agent is told to go on, or tells that it has. */
function signalFile(node: TestRuntime, name: string) {
  const file = path.join(node.folder, name);
  return {
    file,
    give: () => writeFileSync(file, ""),
    given: async () => {
      await expect.poll(() => existsSync(file)).toBe(true);
    },
  };
}

/** Everything a reader gets that connects once and stays. */
async function watch(node: TestRuntime, sessionId: string) {
  const items: FeedItem[] = [];
  const ends: FeedEnd[] = [];
  const { feed } = ok(
    await node.runtime.openFeed({
      sessionId,
      after: 0,
      onItem: (item) => items.push(item) > 0,
      onEnd: (end) => void ends.push(end),
    }),
  );
  onTestFinished(() => feed.close());
  const positions = (): readonly number[] =>
    items.flatMap(({ position }) => (position === null ? [] : [Number(position)]));
  /** The agent's text as the reader has put it together from its pieces. */
  const text = (): string => {
    const texts = new Map<string, string>();
    for (const { change } of items) {
      if (change.type === "message")
        texts.set(change.message.id, agentText({ messages: [change.message] }));
      if (change.type === "delta")
        texts.set(change.messageId, `${texts.get(change.messageId) ?? ""}${change.text}`);
    }
    return [...texts.values()].join("");
  };
  return { positions, text, ends };
}

async function isAway(node: TestRuntime): Promise<void> {
  const told = (): readonly string[] => node.logged.map(({ text }) => text);
  await expect.poll(told).toContain("the lease could not be renewed");
}

const agentText = ({ messages }: Pick<WholeSession, "messages">): string =>
  messages
    .flatMap(({ role, content }) =>
      role === "agent" && content.type === "text" ? [textIn(content)] : [],
    )
    .join("");

const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/(\d+):\d+ /gu)].map(([, number]) => Number(number));

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

const started = (node: TestRuntime): number =>
  node.logged.filter(({ text }) => text === "agent started").length;

describe("a database that is restarted within a lease", () => {
  for (const crashing of [false, true]) {
    it(`cuts nobody off: the run completes with every word once and in order${crashing ? ", also after a crash of the database" : ""} (P3, P4, C5, C7)`, async () => {
      const node = await openNode({ member: LEASE });
      const [goOn, said] = [signalFile(node, "go-on"), signalFile(node, "said")];
      const id = await node.createSession();
      const reader = await watch(node, id);
      await node.send(
        id,
        script(
          stamp(40, 5),
          say("before "),
          waitFor(goOn.file),
          stamp(40, 5),
          say("during "),
          write(said.file),
          stamp(40, 5),
        ),
      );
      await expect.poll(reader.text).toContain("before ");

      await server.down({ crashing });
      goOn.give();
      await said.given();
      await isAway(node);
      await server.up();

      const whole = await node.idle(id);
      expect(whole.session).toMatchObject({ status: "active", state: "idle" });
      expect(whole.messages.map(({ role }) => role)).toEqual(["user", "agent"]);
      const text = agentText(whole);
      expect(numbersIn(text)).toEqual([...upTo(40), ...upTo(40), ...upTo(40)]);
      expect(text).toMatch(/before .*during /u);
      const [run] = await node.store.readRuns(id);
      expect(run).toMatchObject({ status: "completed", attempts: 1 });
      expect(started(node)).toBe(1);

      await expect.poll(reader.text).toBe(text);
      expect(reader.ends).toEqual([]);
      const positions = reader.positions();
      expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
    });
  }

  it("stores afterwards what agents asked, how they ended, and what they did not live to say (C3, C4)", async () => {
    const prompted = path.join("root", "prompted");
    const node = await openNode({
      member: LEASE,
      agents: [{ at: { prompted: [write(`../prompted`)] } }],
    });
    const goOn = signalFile(node, "go-on");
    const asking = signalFile(node, "asking");
    const asks = await node.createSession();
    const ends = await node.createSession();
    const dies = await node.createSession();
    const question = ask({ id: "t1", title: "Deploy" });
    await node.send(
      asks,
      script(say("begun "), waitFor(goOn.file), write(asking.file), question, say(" thanks")),
    );
    await node.send(ends, script(say("begun "), waitFor(goOn.file), say("ended")));
    await node.send(
      dies,
      script(say("begun "), waitFor(goOn.file), say("last"), exit({ code: 7 })),
    );
    for (const id of [asks, ends, dies])
      await node.until(id, (whole) => agentText(whole).includes("begun"));

    await server.down();
    goOn.give();
    await asking.given();
    await signalFile(node, prompted).given();
    await expect.poll(async () => (await node.processes()).length).toBe(2);
    await isAway(node);
    await server.up();

    expect(agentText(await node.idle(ends))).toBe("begun ended");
    const dead = await node.idle(dies);
    const said = transcript(dead).filter((line) => !line.includes("work in the same folder"));
    expect(said.slice(1)).toEqual([
      "agent begun last",
      expect.stringMatching(/^system Failed: .*7/u),
    ]);
    const { session } = await node.until(asks, (whole) => whole.session.suspensions.length === 1);
    const suspensionId = session.suspensions[0]?.id ?? "";
    ok(await node.runtime.answer({ sessionId: asks, suspensionId, answer: "allow", by: "ada" }));
    expect(agentText(await node.idle(asks))).toBe("begun answer: allow thanks");
    expect((await node.store.readSuspensions(asks)).length).toBe(1);
  });

  it("refuses commands meanwhile, and takes the same ones afterwards, each once (P1)", async () => {
    const node = await openNode({ member: LEASE });
    const id = await node.createSession();
    await node.send(id, script(say("hello")));
    await node.idle(id);
    await server.down();
    const message = node.message(id, script(say("after it")), {
      idempotency: { key: "k1", requestHash: "h" },
    });
    await expect(node.runtime.sendMessage(message)).rejects.toMatchObject({
      code: "database_unavailable",
    });
    await server.up();
    await expect
      .poll(() => node.runtime.sendMessage(message).catch(() => null))
      .toMatchObject({ ok: true });
    ok(await node.runtime.sendMessage(message));
    await node.idle(id);
    const users = (await node.read(id)).messages.filter(({ role }) => role === "user");
    expect(users).toHaveLength(2);
  });

  it("holds back an agent that floods, and loses nothing of it (P6)", async () => {
    const node = await openNode({ member: LEASE });
    const goOn = signalFile(node, "go-on");
    const id = await node.createSession();
    const line = `${"x".repeat(1_023)}\n`;
    const count = 8 * 1_024;
    await node.send(id, script(say("begun\n"), waitFor(goOn.file), flood({ text: line, count })));
    await node.until(id, (whole) => agentText(whole).includes("begun"));
    const [pid] = await node.processes();
    const written = (): number =>
      Number(/wchar: (\d+)/u.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);

    await server.down();
    goOn.give();
    await isAway(node);
    // When nothing was added between two looks, the pipe is full, because nobody reads it.
    let before = -1;
    await expect
      .poll(
        () => {
          const stands = written() > 256 * 1024 && written() === before;
          before = written();
          return stands;
        },
        { interval: 1_000 },
      )
      .toBe(true);
    expect(written()).toBeLessThan(4 * 1024 * 1024);
    await server.up();

    const text = agentText(await node.idle(id));
    expect(text.length).toBe("begun\n".length + line.length * count);
  });
});

describe("a commit whose answer is lost", () => {
  it("is not repeated: every word and every end is stored once (P4, C5)", async () => {
    const { node, way } = await openNodeBehind();
    const id = await node.createSession();
    const reader = await watch(node, id);
    const goOn = signalFile(node, "go-on");
    await node.send(
      id,
      script(say("begun "), waitFor(goOn.file), stamp(60, 5), ask({ id: "t1", title: "Deploy" })),
    );
    await expect.poll(reader.text).toContain("begun");
    way.loseCommitAnswers(1_000);
    goOn.give();
    await expect.poll(() => way.answersToLose).toBeLessThan(990);
    way.loseCommitAnswers(1);
    const { session } = await node.until(id, (whole) => whole.session.suspensions.length === 1);
    const suspensionId = session.suspensions[0]?.id ?? "";
    way.loseCommitAnswers(1);
    await expect
      .poll(() =>
        node.runtime
          .answer({ sessionId: id, suspensionId, answer: "allow", by: "ada" })
          .catch(() => null),
      )
      .toMatchObject({ ok: true });
    const whole = await node.idle(id);
    expect(numbersIn(agentText(whole))).toEqual(upTo(60));
    const texts = whole.messages.filter(({ content }) => content.type === "text");
    expect(texts.map(({ role }) => role)).toEqual(["user", "agent", "agent"]);
    const events = await node.store.readEvents({ sessionId: id, after: 0, limit: 1_000 });
    const kinds = events.flatMap((entry) => (entry.kind === "event" ? [entry.event.type] : []));
    for (const kind of ["run.suspended", "suspension.closed", "run.ended"])
      expect(kinds.filter((each) => each === kind)).toEqual([kind]);
    await expect.poll(reader.text).toBe(agentText(whole));
  });
});

/** Advances the clock by which nodes hold their leases. */
function passTime(ms: number): void {
  const before = performance.now();
  vi.restoreAllMocks();
  const now = performance.now.bind(performance);
  const skew = before + ms - now();
  vi.spyOn(performance, "now").mockImplementation(() => now() + skew);
  onTestFinished(() => void vi.restoreAllMocks());
}

describe("a database that is away for longer than a lease", () => {
  it("ends the run with the true reason, and the session goes on (P2, C4)", async () => {
    const node = await openNode({ member: LEASE });
    const id = await node.createSession();
    await node.send(id, script(say("begun"), flood({ perSecond: 20, seconds: 600 })));
    await node.until(id, (whole) => agentText(whole).includes("begun"));
    await server.down();
    await isAway(node);
    passTime(LEASE.leaseMs);
    await node.untilNoProcess({ withinMs: 30_000 });
    await server.up();

    const whole = await node.until(id, ({ session }) => session.state === "idle");
    expect(whole.session).toMatchObject({ status: "active" });
    const [run] = await node.store.readRuns(id);
    expect(run).toMatchObject({ status: "interrupted" });
    expect(transcript(whole).at(-1)).toMatch(
      /^system Interrupted: the database was unreachable for \d+ s\. /u,
    );
    await node.send(id, script(say("on")));
    expect(transcript(await node.idle(id)).at(-1)).toBe("agent on");
  });

  it("is what another node says, too, that takes the session over (P2, C4)", async () => {
    const { node, way } = await openNodeBehind();
    const id = await node.createSession();
    await node.send(id, script(say("begun"), flood({ perSecond: 20, seconds: 600 })));
    await node.until(id, (whole) => agentText(whole).includes("begun"));
    const other = await node.addNode();
    onTestFinished(() => other.close());
    // The owner does not reach the database again.
    way.set({ mode: "refuse" });
    await server.down();
    // The other node has no work, and notices when it renews its lease.
    passTime(LEASE.leaseMs / 2);
    await isAway(node);
    await isAway(other);
    passTime(LEASE.leaseMs);
    await node.untilNoProcess({ withinMs: 30_000 });
    await server.up();
    await expect
      .poll(() => other.store.renewLease({ node: node.node, ttlMs: -1 }).catch(() => null))
      .not.toBeNull();
    await expect
      .poll(async () => (await other.read(id).catch(() => null))?.session.state)
      .toBe("idle");
    expect(transcript(await other.read(id)).at(-1)).toMatch(
      /^system Interrupted: the database was unreachable for \d+ s\. /u,
    );
  });
});
