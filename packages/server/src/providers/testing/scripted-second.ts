import type { Incoming, Wire } from "./scripted-wire.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Version 2 of the protocol on the wire of the scripted agent, whose steps are those of version 1. */
export function speakSecondVersion(wire: Wire, how: "speaks" | "refuses"): Wire {
  /** The prompts at work, by the ID of their request. */
  const prompts = new Map<unknown, string>();
  let starting: unknown = null;
  let messages = 0;
  let sessionId = "";

  const state = (fields: Fields): void =>
    wire.send({
      method: "session/update",
      params: { sessionId, update: { sessionUpdate: "state_update", ...fields } },
    });

  const receive = (message: Incoming, pass: (message: Incoming) => void): void => {
    const { id, method, params = {} } = message;
    switch (method) {
      case "initialize":
        if (how === "refuses" && params["protocolVersion"] === 2) {
          const data = { requested: 2, supported: [1] };
          return wire.send({ id, error: { code: -32022, message: "Unsupported version", data } });
        }
        starting = how === "speaks" ? id : null;
        return pass(message);
      case "auth/login":
        return pass({ ...message, method: "authenticate" });
      case "auth/logout":
        return pass({ ...message, method: "logout" });
      case "session/prompt": {
        sessionId = String(params["sessionId"]);
        const messageId = `user-${(messages += 1)}`;
        prompts.set(id, messageId);
        const content = params["prompt"];
        wire.send({
          method: "session/update",
          params: { sessionId, update: { sessionUpdate: "user_message", messageId, content } },
        });
        wire.send({ id, result: { messageId } });
        state({ state: "running" });
        return pass(message);
      }
      default:
        return pass(message);
    }
  };

  const send = (message: object): void => {
    const { id, method, params, result, error } = message as Fields;
    if (method === "session/update") return wire.send({ method, params: ofUpdate(params) });
    if (method !== undefined) return wire.send(message);
    if (id === starting && starting !== null && isFields(result)) {
      starting = null;
      return wire.send({ id, result: introduction(result) });
    }
    if (prompts.delete(id)) {
      const end = isFields(result) ? result : { stopReason: "error", error };
      return state({ state: "idle", ...end });
    }
    wire.send(isFields(result) ? { id, result: withOptions(result) } : message);
  };

  const ofUpdate = (params: unknown): unknown => {
    if (!isFields(params) || !isFields(params["update"])) return params;
    const { update } = params;
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return { ...params, update: { messageId: `agent-${messages}`, ...update } };
      case "tool_call":
        return { ...params, update: { ...update, sessionUpdate: "tool_call_update" } };
      default:
        return params;
    }
  };

  if (how === "refuses") {
    return {
      ...wire,
      read: (onMessage, onEnd) => wire.read((each) => receive(each, onMessage), onEnd),
    };
  }
  return {
    ...wire,
    send,
    read: (onMessage, onEnd) => wire.read((each) => receive(each, onMessage), onEnd),
    ask: (method, params) => {
      if (method !== "session/request_permission" || !isFields(params)) {
        return wire.ask(method, params);
      }
      const { toolCall, ...rest } = params;
      const title = isFields(toolCall) ? toolCall["title"] : "May I?";
      state({ state: "requires_action" });
      const asked = wire.ask(method, { ...rest, title, subject: { type: "tool_call", toolCall } });
      void asked.answer.then(() => state({ state: "running" }));
      return asked;
    },
  };
}

function introduction({ agentInfo, agentCapabilities, authMethods }: Fields): object {
  const offered = isFields(agentCapabilities) ? agentCapabilities : {};
  const prompt = isFields(offered["promptCapabilities"]) ? offered["promptCapabilities"] : {};
  const yes = (value: unknown): object | null => (value === true ? {} : null);
  return {
    protocolVersion: 2,
    info: agentInfo,
    capabilities: {
      session: {
        prompt: { image: yes(prompt["image"]), embeddedContext: yes(prompt["embeddedContext"]) },
        mcp: { stdio: {} },
      },
    },
    authMethods: (Array.isArray(authMethods) ? authMethods : []).map((method: Fields) => {
      const { id, ...rest } = method;
      return { type: "agent", ...rest, methodId: id };
    }),
  };
}

function withOptions(result: Fields): Fields {
  const { configOptions } = result;
  if (!Array.isArray(configOptions)) return result;
  return {
    ...result,
    configOptions: configOptions.map((option: Fields) => {
      const { id, ...rest } = option;
      return { ...rest, configId: id };
    }),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
