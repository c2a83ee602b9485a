import { randomUUID } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { toFields } from "./demo-wire.ts";

/** What the demo keeps of a session, in one file. */
export interface Memory {
  readonly sessionId: string;
  readonly title: string | null;
  readonly mode: string;
  readonly model: string;
  readonly said: readonly Said[];
  readonly remembered: readonly string[];
  /** What it was told about the session when it came in later; null when it was there from the beginning. */
  readonly briefing: string | null;
  /** The request that was being worked on; still there when the process was killed over it. */
  readonly unfinished: string | null;
}

export interface Said {
  readonly who: "user" | "agent";
  readonly text: string;
}

export interface MemoryFolder {
  /** Null when there is no such session, or its file cannot be read. */
  load(sessionId: string): Memory | null;
  save(memory: Memory): void;
}

const MAX_FILES = 500;
const MAX_SAID = 100;
const MAX_REMEMBERED = 50;
const MAX_TEXT = 2_000;
const MAX_BRIEFING = 8_000;

export function openMemoryFolder(wanted: string | undefined): MemoryFolder {
  const folder = wanted === undefined || wanted === "" ? ownFolder() : madeFolder(wanted);
  return {
    load(sessionId) {
      const file = fileOf(folder, sessionId);
      return file === null ? null : parseMemory(file, sessionId);
    },
    save(memory) {
      const file = fileOf(folder, memory.sessionId);
      if (file === null) throw new Error(`unreachable: a session called ${memory.sessionId}`);
      const draft = `${file}.${randomUUID()}`;
      writeFileSync(draft, JSON.stringify(memory), { mode: 0o600 });
      renameSync(draft, file);
      removeOldest(folder);
    },
  };
}

export function newMemory(): Memory {
  return {
    sessionId: randomUUID(),
    title: null,
    mode: "ask",
    model: "demo-fast",
    said: [],
    remembered: [],
    briefing: null,
    unfinished: null,
  };
}

/** The newest, each not longer than it need be. */
export function addSaid(memory: Memory, said: Said): Memory {
  const short = { who: said.who, text: said.text.slice(0, MAX_TEXT) };
  return { ...memory, said: [...memory.said, short].slice(-MAX_SAID) };
}

export function addBriefing(memory: Memory, briefing: string): Memory {
  return briefing === "" ? memory : { ...memory, briefing: briefing.slice(0, MAX_BRIEFING) };
}

export function addRemembered(memory: Memory, text: string): Memory {
  const remembered = [...memory.remembered, text.slice(0, MAX_TEXT)].slice(-MAX_REMEMBERED);
  return { ...memory, remembered };
}

/** In the system's folder for such things, and ours alone: others can write there, too. */
function ownFolder(): string {
  const uid = process.getuid?.() ?? 0;
  const folder = path.join(tmpdir(), `holdfast-demo-${uid}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  } catch {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() === true && found.uid === uid) return folder;
    return mkdtempSync(path.join(tmpdir(), "holdfast-demo-"));
  }
}

function madeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Only ids of our making name a file. */
function fileOf(folder: string, sessionId: string): string | null {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(sessionId)
    ? path.join(folder, `${sessionId}.json`)
    : null;
}

function parseMemory(file: string, sessionId: string): Memory | null {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    const fields = toFields(stored);
    if (fields === null) return null;
    const { title, mode, model, said, remembered, briefing, unfinished } = fields;
    return {
      sessionId,
      title: textOrNull(title),
      mode: textOrNull(mode) ?? "ask",
      model: textOrNull(model) ?? "demo-fast",
      said: listOf(said).flatMap(parseSaid),
      remembered: listOf(remembered).filter((item) => typeof item === "string"),
      briefing: textOrNull(briefing),
      unfinished: textOrNull(unfinished),
    };
  } catch {
    return null;
  }
}

function parseSaid(item: unknown): Said[] {
  const { who, text } = toFields(item) ?? {};
  return (who === "user" || who === "agent") && typeof text === "string" ? [{ who, text }] : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Another process may be doing the same: a file that is gone already is as good. */
function removeOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MAX_FILES) return;
  const files = names
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => one.at - other.at);
  for (const { file } of files.slice(0, names.length - MAX_FILES)) rmSync(file, { force: true });
}
