import { openMemoryFolder } from "./demo-memory.ts";
import { createDemoSessions } from "./demo-sessions.ts";
import { openWire, WIRE_CODES, WireError, type Fields } from "./demo-wire.ts";

/** The demo agent as a process: it speaks ACP on stdin and stdout, and ends when stdin does. */
const pace = Number(process.env["HOLDFAST_DEMO_PACE"] ?? 1);
const sessions = createDemoSessions({
  folder: openMemoryFolder(process.env["HOLDFAST_DEMO_STATE"]),
  pace: Number.isFinite(pace) && pace >= 0 ? pace : 1,
  wire: () => wire,
});

const wire = openWire(
  { input: process.stdin, output: process.stdout },
  {
    onRequest: handle,
    onNotification(method, params) {
      if (method === "session/cancel") sessions.cancel(params);
    },
    onEnd: () => process.exit(0),
  },
);
// Nobody listens any more: the same as an end.
process.stdout.on("error", () => process.exit(0));

async function handle(method: string, params: Fields): Promise<object> {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: 1,
        agentInfo: { name: "holdfast-demo", title: "Demo agent", version: "1" },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: false, audio: false, embeddedContext: false },
          sessionCapabilities: { resume: {}, close: {} },
        },
        authMethods: [],
      };
    case "authenticate":
      return {};
    case "session/new":
      return sessions.open(params);
    case "session/load":
      return sessions.load(params, { replay: true });
    case "session/resume":
      return sessions.load(params, { replay: false });
    case "session/close":
      return sessions.close(params);
    case "session/set_mode":
      return sessions.choose(params, { mode: params["modeId"] });
    case "session/set_config_option":
      return sessions.choose(params, { [String(params["configId"])]: params["value"] });
    case "session/prompt":
      return sessions.prompt(params);
    default:
      throw new WireError(WIRE_CODES.unknownMethod, `The demo agent does not know ${method}.`);
  }
}
