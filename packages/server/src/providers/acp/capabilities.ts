import { cleanJson } from "../../domain/clean-text.ts";
import type { JsonObject } from "../../domain/json.ts";
import { parseAuthMethods, type AuthMethod } from "./login/auth-method.ts";
import { looseObject, type Loose } from "./wire/loose.ts";

/** The capabilities of an agent, from its reply to `initialize`. */
export interface Capabilities {
  readonly load: boolean;
  readonly resume: boolean;
  readonly close: boolean;
  readonly fork: boolean;
  readonly delete: boolean;
  readonly image: boolean;
  readonly audio: boolean;
  readonly embeddedContext: boolean;
  /** It takes messages while a prompt is at work. */
  readonly steering: boolean;
  readonly mcpHttp: boolean;
  readonly mcpSse: boolean;
  readonly additionalDirectories: boolean;
  readonly authMethods: readonly AuthMethod[];
  readonly logout: boolean;
  /** It replies to `auth/status`. */
  readonly authStatus: boolean;
  /** Unparsed, for display. */
  readonly raw: JsonObject;
}

export function parseCapabilities(result: Loose): Capabilities {
  const agent = looseObject(result["agentCapabilities"]);
  const session = looseObject(agent?.["sessionCapabilities"]);
  const prompt = looseObject(agent?.["promptCapabilities"]);
  const steering = looseObject(looseObject(result["_meta"])?.["steering"])?.["supported"] === true;
  const auth = looseObject(agent?.["auth"]);
  const mcp = looseObject(agent?.["mcpCapabilities"]);
  return {
    load: agent?.["loadSession"] === true,
    resume: isOffered(session?.["resume"]),
    close: isOffered(session?.["close"]),
    fork: isOffered(session?.["fork"]),
    delete: isOffered(session?.["delete"]),
    image: prompt?.["image"] === true,
    audio: prompt?.["audio"] === true,
    embeddedContext: prompt?.["embeddedContext"] === true,
    steering,
    mcpHttp: mcp?.["http"] === true,
    mcpSse: mcp?.["sse"] === true,
    additionalDirectories: isOffered(session?.["additionalDirectories"]),
    authMethods: parseAuthMethods(result["authMethods"]),
    logout: isOffered(auth?.["logout"]),
    authStatus: isOffered(auth?.["status"]),
    raw: {
      ...cleanField("agentInfo", result),
      ...cleanField("agentCapabilities", result),
      steering,
    },
  };
}

/** An empty object means yes, too. */
function isOffered(value: unknown): boolean {
  return value === true || looseObject(value) !== null;
}

function cleanField(name: string, result: Loose): JsonObject {
  const clean = cleanJson(result[name] ?? null);
  return clean.ok && clean.value !== null ? { [name]: clean.value } : {};
}
