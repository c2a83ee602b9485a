/**
 * The baseline: the minimum that a server of durable sessions must do, on bare `node:http` and `node:sqlite`. A message is on
 * disk before it is acknowledged, every update of the agent is committed before it is shown, and a kill loses nothing shown.
 *
 * It runs as CommonJS and imports no value, because `import "node:http"` reads every export of the module. That loads `fetch`,
 * which nothing here uses, and takes longer than the rest of the start. Node's compile cache would not make it faster.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { DatabaseSync as Database } from "node:sqlite";

const { spawn } = process.getBuiltinModule("node:child_process");
const { randomUUID } = process.getBuiltinModule("node:crypto");
const { createServer } = process.getBuiltinModule("node:http");
const { DatabaseSync } = process.getBuiltinModule("node:sqlite");

const [file = "", port = "0", ...agentCommand] = process.argv.slice(2);
const open = (level: "full" | "normal"): Database => {
  const database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = wal; pragma synchronous = ${level}`);
  return database;
};
const db = open("full");
db.exec(`create table if not exists session (id text primary key, title text, status text not null, provider text,
    phase text not null, metadata text not null, createdAt integer not null, updatedAt integer not null, lastSeq integer not null);
  create index if not exists session_by_time on session (createdAt, id);
  create table if not exists entry (sessionId text not null, seq integer not null, role text not null, text text not null,
    at integer not null, primary key (sessionId, seq)) without rowid`);
const output = open("normal");
const insertSession = db.prepare(
  "insert into session values (?, ?, 'active', null, 'initializing', ?, ?, ?, 0)",
);
const getSession = db.prepare("select * from session where id = ?");
const listSessions = db.prepare("select * from session order by createdAt desc, id desc limit 20");
const lastEntries = db.prepare(
  "select * from (select * from entry where sessionId = ? order by seq desc limit ?) order by seq",
);
const entriesAfter = db.prepare("select * from entry where sessionId = ? and seq > ? order by seq");
const deleteSession = db.prepare("delete from session where id = ?");
const deleteEntries = db.prepare("delete from entry where sessionId = ?");
const insertEntry = "insert into entry values (?, ?, ?, ?, ?)";
const [insertMessage, insertUpdate] = [db.prepare(insertEntry), output.prepare(insertEntry)];

interface Live {
  lastSeq: number;
  readonly readers: Set<ServerResponse>;
  agent: { send(text: string): void; end(): void } | null;
}
const live = new Map<string, Live>();
const lastSeqOf = db.prepare("select max(seq) as seq from entry where sessionId = ?");
function liveOf(id: string): Live {
  const existing = live.get(id);
  if (existing !== undefined) return existing;
  const session: Live = {
    lastSeq: Number(lastSeqOf.get(id)?.["seq"] ?? 0),
    readers: new Set(),
    agent: null,
  };
  live.set(id, session);
  return session;
}

const show = (seq: number, role: string, text: string): string =>
  `id: ${seq}\nevent: ${role}\ndata: ${JSON.stringify({ text })}\n\n`;

function startAgent(id: string, session: Live): NonNullable<Live["agent"]> {
  const [program = "", ...args] = agentCommand;
  const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
  const call = (method: string, params: object): void =>
    void agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: method, method, params })}\n`);
  let rest = "";
  agent.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    let shown = "";
    output.exec("begin");
    for (const line of lines) {
      const { id: replyTo, params } = JSON.parse(line);
      const piece = replyTo === undefined ? String(params.update.content.text) : "";
      if (replyTo !== undefined && replyTo !== "session/prompt") continue;
      const role = replyTo === undefined ? "delta" : "end";
      session.lastSeq += 1;
      insertUpdate.run(id, session.lastSeq, role, piece, Date.now());
      shown += show(session.lastSeq, role, piece);
    }
    output.exec("commit");
    if (shown === "") return;
    const bytes = Buffer.from(shown);
    for (const reader of session.readers) reader.write(bytes);
  });
  agent.once("exit", () => (session.agent = null));
  call("initialize", { protocolVersion: 1 });
  call("session/new", { cwd: process.cwd(), mcpServers: [] });
  return {
    send: (text) => call("session/prompt", { sessionId: "1", prompt: [{ type: "text", text }] }),
    end: () => agent.stdin.end(),
  };
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response
    .writeHead(status, { "content-type": "application/json", "content-length": body.length })
    .end(body);
}

async function bodyOf(request: IncomingMessage): Promise<{ readonly [key: string]: unknown }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const [, , , id = "", resource = ""] = path.split("/");
  if (path === "/healthz") return reply(response, 200, { status: "ok" });
  if (id === "" && request.method === "GET")
    return reply(response, 200, { sessions: listSessions.all() });
  if (id === "") {
    const { title = null, metadata = {} } = await bodyOf(request);
    const created = randomUUID();
    insertSession.run(
      created,
      typeof title === "string" ? title : null,
      JSON.stringify(metadata),
      Date.now(),
      Date.now(),
    );
    return reply(response, 201, getSession.get(created));
  }
  const row = getSession.get(id);
  if (row === undefined) return reply(response, 404, { code: "session_not_found" });
  if (resource === "" && request.method === "GET")
    return reply(response, 200, { ...row, messages: lastEntries.all(id, 1000) });
  const session = liveOf(id);
  if (request.method === "DELETE") {
    session.agent?.end();
    live.delete(id);
    deleteEntries.run(id);
    deleteSession.run(id);
    return reply(response, 200, row);
  }
  if (resource === "events") {
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { "content-type": "text/event-stream", connection: "close" });
    const after = Number(new URLSearchParams(query).get("after") ?? 0);
    const missed = entriesAfter
      .all(id, after)
      .map(({ seq, role, text }) => show(Number(seq), String(role), String(text)));
    response.write(`retry: 1000\n\n${missed.join("")}`);
    session.readers.add(response);
    return void response.once("close", () => session.readers.delete(response));
  }
  if (request.method === "GET") return reply(response, 200, { messages: lastEntries.all(id, 50) });
  const text = String((await bodyOf(request))["text"]);
  session.lastSeq += 1;
  insertMessage.run(id, session.lastSeq, "user", text, Date.now());
  reply(response, 202, { seq: session.lastSeq });
  for (const reader of session.readers) reader.write(show(session.lastSeq, "user", text));
  session.agent ??= startAgent(id, session);
  session.agent.send(text);
}

createServer((request, response) => void serve(request, response)).listen(
  Number(port),
  "127.0.0.1",
);
