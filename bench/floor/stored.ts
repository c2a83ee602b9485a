import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageText, sessionId } from "../fill.ts";
import { fillDatabase, fillMessages } from "../fill-database.ts";
import type { Contender } from "./contender.ts";

/** Messages of the long session. The other sessions have none. */
const STORED_MESSAGES = 10_000;
export const LONG_SESSION = sessionId(5);
export const SHORT_SESSION = sessionId(7);

/** Stores the same sessions in a contender's folder before it starts. */
export async function storeSessions(contender: Contender, sessions: number): Promise<void> {
  const { folder, location } = contender;
  if (location === null) {
    // The floor creates its tables when it starts.
    await (await contender.start()).kill();
    return fillFloor(path.join(folder, "floor.db"), sessions);
  }
  mkdirSync(path.join(folder, "data"), { mode: 0o700, recursive: true });
  await fillDatabase(location, { sessions });
  await fillMessages(location, { id: LONG_SESSION, count: STORED_MESSAGES });
}

function fillFloor(file: string, sessions: number): void {
  const raw = new DatabaseSync(file);
  raw.exec("pragma journal_mode = wal; pragma synchronous = off");
  raw.exec("begin");
  raw.exec(`with recursive copy (n) as (select 0 union all select n + 1 from copy where n < ${sessions - 1})
    insert into session select printf('00000000-0000-7000-8000-%012x', n), 'Session number ' || n, 'suspended', 'gemini',
      'planning', '{"task_id":"T' || n || '","tags":["terraform","infrastructure"]}',
      ${Date.now()} + n * 1000, ${Date.now()} + n * 1000, 2 from copy`);
  const insert = raw.prepare("insert into entry values (?, ?, ?, ?, ?)");
  for (let seq = 1; seq <= STORED_MESSAGES; seq += 1) {
    insert.run(LONG_SESSION, seq, seq % 2 === 1 ? "user" : "agent", messageText(seq), Date.now());
  }
  raw.exec("commit");
  raw.close();
}
