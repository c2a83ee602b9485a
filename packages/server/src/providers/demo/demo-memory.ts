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
import { looseList, looseObject, looseText } from "../acp/wire/loose.ts";

/** The demo agent's memory of one session, stored in one file. */
export interface Memory {
  readonly sessionId: string;
  readonly title: string | null;
  readonly mode: string;
  readonly model: string;
  readonly conversation: readonly DemoMessage[];
  readonly remembered: readonly string[];
  /** The earlier conversation, if the demo joined the session later; null if it was there from the start. */
  readonly briefing: string | null;
  /** The request in progress. It is still set if the process was killed while it worked on it. */
  readonly unfinished: string | null;
}

export interface DemoMessage {
  readonly who: "user" | "agent";
  readonly text: string;
}

export interface MemoryFolder {
  /** Null if there is no such session or its file cannot be read. */
  load(sessionId: string): Memory | null;
  save(memory: Memory): void;
}

const MAX_FILES = 500;
const MAX_MESSAGES = 100;
const MAX_REMEMBERED = 50;
const MAX_TEXT = 2_000;
const MAX_BRIEFING = 8_000;

export function openMemoryFolder(configured: string | undefined): MemoryFolder {
  const folder = configured || temporaryFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
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
    conversation: [],
    remembered: [],
    briefing: null,
    unfinished: null,
  };
}

/** Keeps the newest messages and shortens long ones. */
export function addMessage(memory: Memory, { who, text }: DemoMessage): Memory {
  const message = { who, text: text.slice(0, MAX_TEXT) };
  return { ...memory, conversation: [...memory.conversation, message].slice(-MAX_MESSAGES) };
}

export function addBriefing(memory: Memory, briefing: string): Memory {
  return briefing === "" ? memory : { ...memory, briefing: briefing.slice(0, MAX_BRIEFING) };
}

export function addRemembered(memory: Memory, text: string): Memory {
  const remembered = [...memory.remembered, text.slice(0, MAX_TEXT)].slice(-MAX_REMEMBERED);
  return { ...memory, remembered };
}

/** A private folder inside the system's temporary folder, where other users can write too. */
function temporaryFolder(): string {
  const uid = process.getuid?.() ?? 0;
  const folder = path.join(tmpdir(), `holdfast-demo-${uid}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  } catch {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true && stats.uid === uid) return folder;
    return mkdtempSync(path.join(tmpdir(), "holdfast-demo-"));
  }
}

/** Only IDs that this agent made are used as file names. */
function fileOf(folder: string, sessionId: string): string | null {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(sessionId)
    ? path.join(folder, `${sessionId}.json`)
    : null;
}

function parseMemory(file: string, sessionId: string): Memory | null {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    const fields = looseObject(stored);
    if (fields === null) return null;
    const { title, mode, model, conversation, said, remembered, briefing, unfinished } = fields;
    return {
      sessionId,
      title: looseText(title),
      mode: looseText(mode) ?? "ask",
      model: looseText(model) ?? "demo-fast",
      // Files of version 0.1 call it `said`.
      conversation: looseList(conversation ?? said).flatMap(parseMessage),
      remembered: looseList(remembered).filter((item) => typeof item === "string"),
      briefing: looseText(briefing),
      unfinished: looseText(unfinished),
    };
  } catch {
    return null;
  }
}

function parseMessage(item: unknown): DemoMessage[] {
  const { who, text } = looseObject(item) ?? {};
  return (who === "user" || who === "agent") && typeof text === "string" ? [{ who, text }] : [];
}

/** Another process may remove files at the same time, so a missing file is not an error. */
function removeOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MAX_FILES) return;
  const files = names
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => one.at - other.at);
  for (const { file } of files.slice(0, names.length - MAX_FILES)) rmSync(file, { force: true });
}
