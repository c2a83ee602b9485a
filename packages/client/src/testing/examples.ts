// oxlint-disable eslint/no-console -- examples print their results
import { ConnectionError, HoldfastError, type Client } from "../index.ts";

/*
 * The examples of the README, in its order. Each function body is one example. They are compiled and run against a real
 * server.
 */

export async function talk(client: Client, path: string): Promise<void> {
  const repo = await client.repos.add({ path });
  const { id } = await client.sessions.create({
    repoId: repo.id,
    title: "Failing tests",
    message: "Why do the tests fail?",
  });
  for await (const { session, event } of client.sessions.follow(id)) {
    if (event?.type === "delta") console.log(event.data.text);
    if (session.suspension !== null) console.log("waits for", session.suspension.request);
    if (session.state === "idle" && session.queued === 0) break;
  }
}

export async function manageSessions(client: Client, id: string): Promise<void> {
  const { sessions, total, counts } = await client.sessions.list({
    status: ["active", "suspended"],
    q: "tests",
    limit: 50,
  });
  console.log(sessions.length, "of", total, "and", counts.archived, "archived");

  const session = await client.sessions.get(id);
  console.log(session.repo?.path, session.messages.length);

  await client.sessions.update(
    id,
    { title: "Fixed tests", metadata: { ticket: 42 } },
    { ifMatch: session.version },
  );
}

export async function sendMessages(client: Client, id: string): Promise<void> {
  const { run, queued, position } = await client.sessions.send(
    id,
    { text: "Now fix them.", provider: "demo", delivery: "queue" },
    { idempotencyKey: crypto.randomUUID() },
  );
  console.log(run.status, queued ? `place ${position} in the queue` : "at once");

  const { messages, nextAfter } = await client.sessions.messages(id, { after: 0, limit: 100 });
  console.log(messages.map(({ role, content }) => [role, content.type]));
  await client.sessions.messages(id, { after: nextAfter });
}

export async function editQueue(client: Client, id: string): Promise<void> {
  const { queue } = await client.sessions.queue(id);
  const last = queue.at(-1);
  if (last !== undefined) {
    await client.sessions.editQueued(id, last.messageId, { text: "Fix one.", position: 0 });
    await client.sessions.withdrawQueued(id, last.messageId);
  }
}

export async function answerPermissions(client: Client): Promise<void> {
  const { suspensions } = await client.suspensions();
  for (const { id, sessionId, kind, request } of suspensions) {
    if (kind !== "permission") continue;
    console.log(request["title"], request["options"]);
    await client.sessions.answer(sessionId, { suspensionId: id, answer: "allow_once" });
  }
}

export async function endSessions(client: Client, id: string): Promise<void> {
  await client.sessions.cancel(id, { reason: "Enough for today" });
  const fork = await client.sessions.fork(id);
  const { shouldResume, reason } = await client.sessions.shouldResume(fork.id, {
    require: ["workspace", "lease"],
  });
  console.log(shouldResume, reason);
  await client.sessions.finalize(id, { outcome: "completed", summary: "All tests pass." });
  await client.sessions.archive(id);
  await client.sessions.delete(fork.id);
}

export async function watchOne(client: Client, id: string, signal: AbortSignal): Promise<void> {
  const { lastEventId } = await client.sessions.get(id);
  for await (const event of client.sessions.events(id, { after: lastEventId, signal })) {
    switch (event.type) {
      case "message":
        console.log(event.data.role, event.data.content);
        break;
      case "run":
        console.log(event.data.status, event.data.stopReason);
        break;
      default:
        console.log(event.id, event.type);
    }
  }
}

export async function watchAll(client: Client, signal: AbortSignal): Promise<void> {
  for await (const event of client.events({ signal })) {
    if (event.type === "reset") console.log((await client.sessions.list()).sessions);
    if (event.type === "session") console.log(event.data.id, event.data.status, event.data.state);
    if (event.type === "deleted") console.log(event.data.id, "is gone");
  }
}

export async function moveSession(client: Client, other: Client, id: string): Promise<void> {
  const session = await other.sessions.import(client.sessions.export(id));
  console.log(session.id);
}

export async function lookAround(client: Client): Promise<void> {
  const { providers, defaultProvider } = await client.providers();
  console.log(
    defaultProvider,
    providers.filter(({ installed }) => installed),
  );

  const { successRate, byProvider } = await client.stats({ from: "2026-01-01" });
  console.log(successRate, byProvider);

  const { status, reason } = await client.readiness();
  console.log(status, reason);
}

export async function handleErrors(client: Client, id: string): Promise<void> {
  try {
    await client.sessions.prompt(id, "Go on.");
  } catch (error) {
    if (error instanceof ConnectionError) console.log("no answer", error.cause);
    else if (!(error instanceof HoldfastError)) throw error;
    else if (error.code === "session_archived") console.log("put away");
    else console.log(error.status, error.detail, error.problem?.errors);
  }
}
