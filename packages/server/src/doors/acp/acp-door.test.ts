import { client as editorApp, methods } from "@agentclientprotocol/sdk/unstable";
import { createUncheckedClient } from "@holdfast/client";
import { expect, it } from "vitest";
import { createAcpDoor } from "./acp-door.ts";

const CWD = import.meta.dirname;
const REPLIES: Readonly<Record<string, object>> = {
  "GET /api/repos": { repos: [{ id: "r", path: CWD }] },
  "POST /api/sessions": { id: "s" },
  "GET /api/sessions/s": { id: "s", messages: [], suspensions: [], rewoundRuns: [], earlier: 0 },
  "GET /api/providers": { providers: [] },
  "GET /api/sessions/s/options": { provider: null, options: [] },
};
const EVENTS = "GET /api/sessions/s/events";

it("an editor that goes is no error, whatever the server is asked at that moment (D5)", async () => {
  // The first reply is for the editor's menus; then they are read again.
  const server = scriptedServer({ held: "GET /api/providers", replies: 1 });
  const { editor, logged } = await openEditor(server);
  await editor.agent.request(methods.agent.session.new, { cwd: CWD, mcpServers: [] });
  await server.isHeld;
  editor.close();
  await turns();
  expect(logged).toEqual([]);
});

it("a session is not followed for an editor that goes while it is opened (D5)", async () => {
  const server = scriptedServer({ held: "GET /api/sessions/s", replies: 0 });
  const { editor } = await openEditor(server);
  const opened = editor.agent.request(methods.agent.session.new, { cwd: CWD, mcpServers: [] });
  await server.isHeld;
  editor.close();
  await expect(opened).rejects.toThrow("closed");
  server.release();
  await turns();
  expect(server.requests).not.toContain(EVENTS);
});

async function openEditor({ send }: Pick<ScriptedServer, "send">) {
  const logged: string[] = [];
  const door = createAcpDoor({
    client: createUncheckedClient({ url: "http://localhost", fetch: send }),
    version: "1",
    newKey: () => "key",
    log: (text, error) => logged.push(`${text}: ${String(error)}`),
  });
  const editor = editorApp({ name: "test" })
    .onNotification(methods.client.session.update, () => {})
    .connect(door);
  await editor.agent.request(methods.agent.initialize, { protocolVersion: 1 });
  return { editor, logged };
}

type ScriptedServer = ReturnType<typeof scriptedServer>;

/** Answers requests for one session. One kind of request is held after so many replies, and events always. */
function scriptedServer({ held, replies }: { readonly held: string; readonly replies: number }) {
  const requests: string[] = [];
  const released = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const send: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const request = `${init?.method ?? "GET"} ${pathname}`;
    requests.push(request);
    const isLate = request === held && requests.filter((one) => one === held).length > replies;
    if (isLate) isHeld.resolve();
    if (isLate || request === EVENTS) await Promise.race([released.promise, aborted(init?.signal)]);
    return Response.json(REPLIES[request]);
  };
  return { send, requests, isHeld: isHeld.promise, release: () => released.resolve() };
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("aborted")));
  });
}

/** Lets everything happen that is waiting for nothing else. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1)
    await new Promise((resolve) => void setImmediate(resolve));
}
