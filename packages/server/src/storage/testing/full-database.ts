import { FAILED } from "../../domain/testing/commands.ts";
import type { Store } from "../store.ts";
import { stagedSession, importWhole, partOf } from "./staged-session.ts";
import { openRaw } from "./raw-database.ts";
import { beginSession, NOON, opening } from "./session-driver.ts";
import type { TestStore } from "./test-database.ts";

const REPO = { id: "repo-1", path: "/work/repo", name: "repo", createdAt: NOON };

/** A database with all kinds of rows, as after a kill of the server. Returns the readable sessions. */
export async function fillDatabase({ store, location }: TestStore): Promise<readonly string[]> {
  await store.addRepo(REPO);
  await store.addRepo({ ...REPO, id: "repo-2", path: "/work/größer", name: "größer" });
  const token = {
    id: "token-1",
    name: "of the build",
    scope: "send",
    sessionId: null,
    digest: "d1",
    createdAt: NOON,
    lastUsedAt: null,
    expiresAt: NOON * 2,
    revokedAt: null,
  } as const;
  await store.addToken({ token, limit: 10 });
  const browser = {
    id: "browser-1",
    scope: "admin",
    tokenId: null,
    tokenName: null,
    userAgent: "a browser",
    digest: "d2",
    createdAt: NOON,
    lastUsedAt: NOON,
    expiresAt: NOON * 2,
  } as const;
  await store.addBrowser({ browser, limit: 10 });
  await store.keepOffer({
    provider: "demo",
    offer: { options: [], commands: [{ name: "plan", description: "Plans", hint: null }] },
    at: NOON,
    limit: 10,
  });
  const ids = [
    await addBusySession(store),
    await addWaitingSession(store),
    await addFinalSession(store),
  ];
  const imported = stagedSession({ id: "imported", repoId: REPO.id });
  await importWhole(store, imported);

  const bad = await beginSession(store, { id: "bad", title: "Cannot be read" });
  const raw = await openRaw(location);
  await raw.run(`update "AgentSession" set "metadata" = '[]' where "id" = '${bad.id}'`);
  await raw.close();
  await store.readSession(bad.id);

  const former = await openRaw(location);
  await former.run(`insert into "FormerMessage" ("messageId", "sessionId", "role", "content")
    select "id", "sessionId", "role", '{"type":"text","text":"x","partial":true}' from "AgentMessage" where "sessionId" = 'busy'`);
  await former.close();

  const half = stagedSession({ id: "half" });
  const staging = { sessionId: "half", importId: "import-half" };
  await store.beginImport({ staging, at: NOON });
  await store.addToImport({ staging, ...partOf(half) });
  const left = await openRaw(location);
  await left.run(`update "NodeLease" set "expiresAt" = 1`);
  await left.close();
  return [...ids, imported.session.id];
}

/** A run of a dead node, an incomplete message, a queued one, and stored answers. */
async function addBusySession(store: Store): Promise<string> {
  const session = await beginSession(
    store,
    {
      id: "busy",
      repoId: REPO.id,
      title: 'Quoted "title" \\ ü 🦕',
      agentId: "orchestra-1",
      metadata: { z: 1, a: [null, true, 1.5, { ключ: "värde\n" }] },
    },
    { remember: { scope: "POST", key: "k1", requestHash: "h", response: { b: 1, a: "x" } } },
  );
  await session.end(await session.run("first"), FAILED);
  await session.perform({ type: "update", changes: {}, phase: "planning" });
  const sent = await session.run("second");
  await session.claim("node-gone");
  await session.put(sent, opening("growing", "So "), {
    put: "text",
    messageId: "growing",
    text: "far",
  });
  await session.send("waits its turn", { model: "small", continuity: "required" });
  return session.id;
}

async function addWaitingSession(store: Store): Promise<string> {
  const session = await beginSession(store, { id: "waiting", repoId: "repo-2" });
  const answered = await session.run("asks");
  await session.answer(await session.suspend(answered, { id: "answered" }));
  await session.end(answered);
  await session.suspend(await session.run("asks again"), { id: "open", expiresAt: NOON * 2 });
  return session.id;
}

async function addFinalSession(store: Store): Promise<string> {
  const session = await beginSession(store, {
    id: "final",
    forkedFrom: { sessionId: "busy", atMessage: null },
  });
  await session.perform({ type: "finalize", outcome: "completed", summary: "All done." });
  await session.perform({ type: "archive" });
  return session.id;
}
