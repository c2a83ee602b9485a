import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { Later, Output, Terminal } from "../terminal.ts";

export interface FakeTerminal {
  readonly terminal: Terminal;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Both, in the order they were written. */
  readonly screen: () => string;
  /** Resolves when the screen shows the text, after the texts of earlier calls. */
  readonly shows: (text: string) => Promise<void>;
  readonly type: (keys: string) => void;
  readonly signal: (name: string) => void;
  readonly isRaw: () => boolean;
  /** How many listeners are left on the process. */
  readonly listeners: () => number;
}

/** Streams in memory that claim to be a terminal or not. */
export function fakeTerminal({
  isTerminal = true,
  isOutTerminal = isTerminal,
  colour = false,
  columns = 80,
}: {
  readonly isTerminal?: boolean;
  readonly isOutTerminal?: boolean;
  readonly colour?: boolean;
  readonly columns?: number;
} = {}): FakeTerminal {
  const written = { out: "", err: "", both: "" };
  const news = new EventEmitter();
  let seen = 0;
  let isRaw = false;
  const output = (to: "out" | "err", isOne: boolean): Output => ({
    stream: new Writable({
      write(chunk, _encoding, done) {
        written[to] += String(chunk);
        written.both += String(chunk);
        news.emit("written");
        done();
      },
    }),
    isTerminal: isOne,
    colour,
    columns: () => columns,
  });
  const stdin = Object.assign(new PassThrough(), {
    isTTY: isTerminal,
    setRawMode(raw: boolean) {
      isRaw = raw;
      return stdin;
    },
  });
  const signals = new EventEmitter();
  return {
    terminal: {
      // The code under test uses only these properties.
      stdin: stdin as unknown as Terminal["stdin"],
      stdout: output("out", isOutTerminal),
      stderr: output("err", isTerminal),
      signals,
    },
    stdout: () => written.out,
    stderr: () => written.err,
    screen: () => written.both,
    async shows(text) {
      for (;;) {
        const at = written.both.indexOf(text, seen);
        if (at !== -1) return void (seen = at + text.length);
        await new Promise((resolve) => news.once("written", resolve));
      }
    },
    type: (keys) => void stdin.write(keys),
    signal: (name) => void signals.emit(name),
    isRaw: () => isRaw,
    listeners: () =>
      signals.eventNames().reduce((sum, name) => sum + signals.listenerCount(name), 0),
  };
}

export interface HandClock {
  readonly later: Later;
  /** Fires all timers with this delay; waits until there is one. */
  readonly pass: (ms: number) => Promise<void>;
  readonly waiting: () => readonly number[];
}

/** A clock that the test controls. */
export function handClock(): HandClock {
  const pending = new Set<{ readonly ms: number; readonly callback: () => void }>();
  const news = new EventEmitter();
  return {
    later(ms, callback) {
      const entry = { ms, callback };
      pending.add(entry);
      news.emit("added");
      return () => void pending.delete(entry);
    },
    async pass(ms) {
      for (;;) {
        const due = [...pending].filter((entry) => entry.ms === ms);
        for (const entry of due) {
          pending.delete(entry);
          entry.callback();
        }
        if (due.length > 0) return;
        await new Promise((resolve) => news.once("added", resolve));
      }
    },
    waiting: () => [...pending].map(({ ms }) => ms),
  };
}
