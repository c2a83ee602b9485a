import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { APPEND } from "../postgres/append-at-once.ts";
import { nameStatements } from "../postgres/statement-names.ts";

/**
 * How the proxy treats the bytes of a connection. `blackhole` drops them in both directions, including the end of the
 * connection, which never works again. `hold` delays them until the mode changes. `refuse` resets new connections.
 */
export type LinkMode =
  | { readonly mode: "pass" }
  | { readonly mode: "delay"; readonly ms: number }
  | { readonly mode: "blackhole" }
  | { readonly mode: "hold" }
  | { readonly mode: "refuse" };

export interface ProxiedConnection {
  set(mode: LinkMode): void;
  /** Resets both sides. */
  cut(): void;
}

export interface TcpProxy {
  readonly port: number;
  /** Connections that neither side has ended. */
  connections(): readonly ProxiedConnection[];
  /** For existing and new connections. */
  set(mode: LinkMode): void;
  /** Drops all further bytes of existing connections. New ones work. */
  silence(): void;
  /** Resets all existing connections. */
  cut(): void;
  /** Drops the replies to this many of the next commits, and their connections. The commits are stored. */
  loseCommitAnswers(count: number): void;
  /** Number of replies still to drop. */
  readonly answersToLose: number;
  close(): Promise<void>;
}

export const PASS: LinkMode = { mode: "pass" };

/** A proxy between a node and its database that simulates network failures. */
export async function openTcpProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<TcpProxy> {
  const links = new Set<Link>();
  let mode: LinkMode = PASS;
  let answersToLose = 0;
  const losesAnswer = (): boolean => {
    if (answersToLose === 0) return false;
    answersToLose -= 1;
    return true;
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (mode.mode === "refuse") {
      near.resetAndDestroy();
      return;
    }
    const link = new Link({
      near,
      target,
      mode,
      losesAnswer,
      onClosed: () => links.delete(link),
    });
    links.add(link);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    connections: () => [...links],
    set(next) {
      mode = next;
      for (const link of links) link.set(next);
    },
    silence() {
      for (const link of links) link.set({ mode: "blackhole" });
    },
    cut() {
      for (const link of links) link.cut();
    },
    loseCommitAnswers(count) {
      answersToLose = count;
    },
    get answersToLose() {
      return answersToLose;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const link of links) link.cut();
      await closed;
    },
  };
}

/** The simple query of the protocol, perhaps behind other statements; or an append, which is a transaction of its own. */
function commits(bytes: Buffer): boolean {
  return bytes.includes("commit\0") || bytes.includes(APPEND_NAME);
}

const APPEND_NAME = nameStatements().query(APPEND, []).name ?? "";

/** "Ready for query", outside a transaction. */
const IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

class Link implements ProxiedConnection {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #timers = new Set<NodeJS.Timeout>();
  #mode: LinkMode;
  #isLost = false;
  /** Keeps the order of delayed bytes. */
  #busyUntil = 0;
  readonly #held: (() => void)[] = [];

  constructor({
    near,
    target,
    mode,
    losesAnswer,
    onClosed,
  }: {
    readonly near: Socket;
    readonly target: { readonly host: string; readonly port: number };
    readonly mode: LinkMode;
    /** Called at each commit. True drops the reply. */
    readonly losesAnswer: () => boolean;
    readonly onClosed: () => void;
  }) {
    this.#near = near;
    this.#mode = mode;
    this.#isLost = mode.mode === "blackhole";
    this.#far = connect({ ...target, allowHalfOpen: true, noDelay: true });
    near.setNoDelay(true);
    near.on("data", (bytes) => {
      if (!commits(bytes) || !losesAnswer()) return;
      this.#far.prependListener("data", (reply) => {
        if (reply.includes(IDLE)) this.cut();
      });
    });
    let open = 2;
    for (const [from, to] of [
      [near, this.#far],
      [this.#far, near],
    ] as const) {
      from.on("data", (bytes) => this.#pass(() => this.#write(bytes, { from, to })));
      from.on("end", () => this.#pass(() => void to.end()));
      from.on("error", () => this.#pass(() => void to.resetAndDestroy()));
      from.once("close", () => {
        open -= 1;
        if (open === 0) onClosed();
      });
    }
  }

  set(mode: LinkMode): void {
    this.#mode = mode;
    this.#isLost ||= mode.mode === "blackhole";
    if (mode.mode !== "hold") for (const act of this.#held.splice(0)) this.#pass(act);
  }

  cut(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#near.resetAndDestroy();
    this.#far.resetAndDestroy();
  }

  #pass(act: () => void): void {
    if (this.#isLost) return;
    if (this.#mode.mode === "hold") return void this.#held.push(act);
    const now = performance.now();
    const due = Math.max(this.#busyUntil, now + (this.#mode.mode === "delay" ? this.#mode.ms : 0));
    if (due <= now) return act();
    this.#busyUntil = due;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isLost) act();
    }, due - now);
    this.#timers.add(timer);
  }

  #write(bytes: Buffer, { from, to }: { readonly from: Socket; readonly to: Socket }): void {
    if (to.destroyed || to.write(bytes)) return;
    from.pause();
    to.once("drain", () => from.resume());
  }
}
