import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { createUncheckedClient, errorText } from "@holdfast/client";
import { v7 as newKey } from "uuid";
import { EDITOR } from "../../http/guard/caller.ts";
import { createAcpDoor } from "../../doors/acp/acp-door.ts";
import {
  findServer,
  gatewaySettings,
  type CommonFlags,
  type ServerAddress,
} from "../gateway/find-server.ts";
import type { ServeSettings } from "../settings/settings.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { VERSION } from "../version.ts";
import { createServerFetch } from "./server-fetch.ts";

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

/** Speaks the Agent Client Protocol on stdin and stdout until the editor closes them. The sessions go on in the server. */
export async function serveEditor(flags: AcpFlags): Promise<void> {
  const settings = gatewaySettings(flags);
  const door = createAcpDoor({
    client: createUncheckedClient({
      url: "http://localhost",
      fetch: createServerFetch(findOrStartOnce(flags, settings), `${EDITOR}/${VERSION}`),
    }),
    version: VERSION,
    provider: flags.provider,
    authMethods: [TOKEN_METHOD],
    newKey,
    log,
  });
  const input: ReadableStream<Uint8Array> = Readable.toWeb(process.stdin);
  const output: WritableStream<Uint8Array> = Writable.toWeb(process.stdout);
  await door.connect(ndJsonStream(output, input, { maxMessageBytes: MAX_MESSAGE_BYTES })).closed;
}

/**
 * Finds the server each time. An editor starts this program without a person at a terminal, so the first time it also starts
 * a server if none runs. Later it waits: somebody stopped the server, or restarts it.
 */
function findOrStartOnce(flags: AcpFlags, settings: ServeSettings): () => Promise<ServerAddress> {
  let isFirst = true;
  return async () => {
    const server = await findServer(flags, settings);
    const mayStart = isFirst;
    isFirst = false;
    if (server !== null) return server;
    if (mayStart) await startServer(flags, settings);
    const started = await findServer(flags, settings);
    if (started !== null) return started;
    throw new Error(`no server runs on ${settings.dataFolder}; start it with: holdfast up`);
  };
}

async function startServer(flags: AcpFlags, { dataFolder }: ServeSettings): Promise<void> {
  const [{ startInBackground }, { readStartRecord, startPlan }] = await Promise.all([
    import("../background/start-server.ts"),
    import("../background/start-record.ts"),
  ]);
  const plan = readStartRecord(dataFolder) ?? startPlan(flags, process.env, process.cwd());
  await startInBackground(dataFolder, plan, log);
}

/** Editors keep stderr as the agent's log; stdout is only for the protocol. */
function log(text: string, error?: unknown): void {
  const reason = error === undefined ? "" : `: ${errorText(error)}`;
  process.stderr.write(`holdfast: ${neutraliseLine(text + reason)}\n`);
}
