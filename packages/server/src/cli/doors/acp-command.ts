import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { v7 as newKey } from "uuid";
import { EDITOR } from "../../http/guard/caller.ts";
import { createAcpDoor } from "../../doors/acp/acp-door.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { VERSION } from "../version.ts";
import { log, openStdioApi } from "./stdio-api.ts";

export interface AcpFlags extends CommonFlags {
  readonly provider?: string;
}

/** Larger messages end the connection. A prompt may have 1 MiB, and more in the escapes of JSON. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const TOKEN_METHOD = {
  id: "holdfast-token",
  name: "Access token",
  description:
    "Set HOLDFAST_TOKEN in the editor's settings of this agent to a token of the server, then try again.",
} as const;

/**
 * Speaks the Agent Client Protocol on stdin and stdout until the editor closes them. The sessions go on in the server. The
 * server is looked for while the editor reads its first reply.
 */
export async function serveEditor(flags: AcpFlags): Promise<void> {
  const { client, prepare, failed } = openStdioApi(flags, EDITOR);
  const door = createAcpDoor({
    client,
    version: VERSION,
    provider: flags.provider,
    authMethods: [TOKEN_METHOD],
    afterInitialize: prepare,
    newKey,
    log,
  });
  const input: ReadableStream<Uint8Array> = Readable.toWeb(process.stdin);
  const output: WritableStream<Uint8Array> = Writable.toWeb(process.stdout);
  const editor = door.connect(ndJsonStream(output, input, { maxMessageBytes: MAX_MESSAGE_BYTES }));
  try {
    await Promise.race([editor.closed, failed]);
  } finally {
    editor.close();
  }
}
