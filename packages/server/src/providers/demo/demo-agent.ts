import { errorText } from "../../domain/error-text.ts";
import { openJsonRpcPeer } from "../acp/wire/json-rpc-peer.ts";
import { looseObject, type Loose } from "../acp/wire/loose.ts";
import { RPC_CODES, RpcError } from "../acp/wire/rpc-error.ts";
import { openMemoryFolder } from "./demo-memory.ts";
import { createDemoSessions } from "./demo-sessions.ts";

/** The process of the demo agent: it speaks ACP on stdin and stdout, and exits when stdin ends. */
const pace = Number(process.env["HOLDFAST_DEMO_PACE"] ?? 1);
const sessions = createDemoSessions(
  openMemoryFolder(process.env["HOLDFAST_DEMO_STATE"]),
  Number.isFinite(pace) && pace >= 0 ? pace : 1,
  () => peer,
);

const peer = openJsonRpcPeer({
  input: process.stdin,
  output: process.stdout,
  handlers: {
    initialize: handler(() => ({
      protocolVersion: 1,
      agentInfo: { name: "holdfast-demo", title: "Demo agent", version: "1" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: false },
        sessionCapabilities: { resume: {}, close: {} },
      },
      authMethods: [],
    })),
    authenticate: handler(() => ({})),
    "session/new": handler((params) => sessions.open(params)),
    "session/load": handler((params) => sessions.load(params, { replay: true })),
    "session/resume": handler((params) => sessions.load(params, { replay: false })),
    "session/close": handler((params) => sessions.close(params)),
    "session/set_mode": handler((params) => sessions.choose(params, { mode: params["modeId"] })),
    "session/set_config_option": handler((params) =>
      sessions.choose(params, { [String(params["configId"])]: params["value"] }),
    ),
    "session/prompt": handler((params) => sessions.prompt(params)),
  },
  onNotification(method, params) {
    if (method === "session/cancel") sessions.cancel(looseObject(params) ?? {});
  },
});
void peer.closed.then(() => process.exit(0));

/** Reports the message of an unexpected error: there is nothing secret in a demo. */
function handler(
  handle: (params: Loose) => object | Promise<object>,
): (params: unknown) => Promise<object> {
  return async (params) => {
    try {
      return await handle(looseObject(params) ?? {});
    } catch (error) {
      throw error instanceof RpcError
        ? error
        : new RpcError(RPC_CODES.internalError, errorText(error));
    }
  };
}
