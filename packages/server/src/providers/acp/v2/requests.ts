import { looseList, looseObject, type Loose } from "../wire/loose.ts";
import { RPC_CODES, RpcError } from "../wire/rpc-error.ts";
import { settingOf } from "./config-options.ts";

export interface OutgoingRequest {
  readonly method: string;
  readonly params: unknown;
}

/** A request of version 1 in version 2. `options` are those that the agent has announced. */
export function outgoingRequest(
  method: string,
  params: unknown,
  options: readonly unknown[],
): OutgoingRequest {
  const fields = looseObject(params) ?? {};
  switch (method) {
    case "authenticate":
      return { method: "auth/login", params };
    case "logout":
      return { method: "auth/logout", params: fields };
    // Without `replayFrom` the history is not repeated.
    case "session/load":
    case "session/resume":
      return { method: "session/resume", params: withServers(fields) };
    case "session/new":
    case "session/fork":
      return { method, params: withServers(fields) };
    case "session/set_config_option":
      return { method, params: optionValue(fields) };
    case "session/set_mode":
      return setting("mode", fields, fields["modeId"], options);
    case "session/set_model":
      return setting("model", fields, fields["modelId"], options);
    default:
      return { method, params };
  }
}

function withServers(fields: Loose): Loose {
  const { mcpServers } = fields;
  if (!Array.isArray(mcpServers)) return fields;
  return {
    ...fields,
    mcpServers: looseList(mcpServers).map((value) => ({ type: "stdio", ...looseObject(value) })),
  };
}

function optionValue(fields: Loose): Loose {
  return { ...fields, type: typeof fields["value"] === "boolean" ? "boolean" : "id" };
}

function setting(
  category: "mode" | "model",
  { sessionId }: Loose,
  value: unknown,
  options: readonly unknown[],
): OutgoingRequest {
  const configId = settingOf(options, category);
  if (configId === null) {
    throw new RpcError(RPC_CODES.methodNotFound, `The agent has no option for its ${category}`);
  }
  return {
    method: "session/set_config_option",
    params: { sessionId, configId, type: "id", value },
  };
}
