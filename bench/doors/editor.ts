import { BEARER } from "../../packages/server/src/http/testing/server-token.ts";
import { connectPeer, startPeer, type Listener, type Peer } from "./peer.ts";

/** One session, as an editor uses it. */
export interface BenchEditor {
  /** Sends a prompt. Resolves at the end of its turn. */
  send(text: string): Promise<{ readonly sentAt: bigint; readonly answeredAt: bigint }>;
  close(): Promise<void>;
}

export const INITIALIZE = { protocolVersion: 1, clientCapabilities: {} };

export function openStdioEditor(args: readonly string[], cwd: string): Promise<BenchEditor> {
  return openEditor((onNotification) => startPeer(args, { cwd, onNotification }), cwd);
}

export function openSocketEditor(url: string, cwd: string): Promise<BenchEditor> {
  const address = `${url.replace("http", "ws")}/acp`;
  return openEditor(
    (onNotification) => connectPeer(address, { headers: { ...BEARER }, onNotification }),
    cwd,
  );
}

/** Opens a session with a live, idle agent. */
async function openEditor(
  open: (onNotification: Listener) => Peer | Promise<Peer>,
  cwd: string,
): Promise<BenchEditor> {
  let answeredAt = 0n;
  const peer = await open((message, at) => {
    if (answeredAt === 0n && message.includes('"agent_message_chunk"')) answeredAt = at;
  });
  await peer.request("initialize", INITIALIZE);
  const { result } = await peer.request("session/new", { cwd, mcpServers: [] });
  const { sessionId } = result;
  const editor: BenchEditor = {
    async send(text) {
      answeredAt = 0n;
      const sentAt = process.hrtime.bigint();
      await peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
      return { sentAt, answeredAt };
    },
    close: () => peer.close(),
  };
  await editor.send("@stamp 1 0");
  return editor;
}
