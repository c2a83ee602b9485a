import { looseList, looseObject, type Loose } from "../wire/loose.ts";

/**
 * The params of `initialize` in version 2, made from those of version 1. With `isOpen`, an agent of version 1
 * understands them, too.
 */
export function initializeParams(params: unknown, { isOpen }: { readonly isOpen: boolean }): Loose {
  const request = looseObject(params) ?? {};
  const { clientInfo, clientCapabilities, ...rest } = request;
  const client = looseObject(clientCapabilities) ?? {};
  const auth = looseObject(client["auth"]);
  const takesTerminal = isOffered(auth?.["terminal"]);
  return {
    ...(isOpen ? request : rest),
    protocolVersion: 2,
    info: clientInfo,
    capabilities: {
      ...(auth !== null && { auth: { ...auth, terminal: takesTerminal ? {} : null } }),
      ...fieldsOf(client, ["elicitation", "_meta"]),
    },
  };
}

/** Some agents repeat any version they are asked for, and speak version 1. */
export function isSecondVersion(result: unknown): boolean {
  const fields = looseObject(result);
  return (
    fields?.["protocolVersion"] === 2 &&
    looseObject(fields["capabilities"]) !== null &&
    looseObject(fields["info"]) !== null
  );
}

/** The reply to `initialize` in the form of version 1. What every agent of version 2 must offer is listed there. */
export function initializeResult(result: unknown): Loose {
  const fields = looseObject(result) ?? {};
  const { info, capabilities, authMethods, protocolVersion, ...rest } = fields;
  const { session: offered, auth, ...others } = looseObject(capabilities) ?? {};
  const session = looseObject(offered);
  const { prompt, mcp, ...further } = session ?? {};
  const content = looseObject(prompt) ?? {};
  const servers = looseObject(mcp) ?? {};
  const methods = looseList(authMethods).flatMap(authMethod);
  return {
    ...rest,
    protocolVersion: 1,
    agentInfo: { ...looseObject(info), protocolVersion },
    agentCapabilities: {
      ...others,
      loadSession: false,
      promptCapabilities: {
        image: isOffered(content["image"]),
        audio: isOffered(content["audio"]),
        embeddedContext: isOffered(content["embeddedContext"]),
      },
      mcpCapabilities: { http: isOffered(servers["http"]), sse: isOffered(servers["sse"]) },
      sessionCapabilities: session === null ? {} : { ...further, list: {}, resume: {}, close: {} },
      auth: { ...looseObject(auth), ...(methods.length > 0 && { logout: {} }) },
    },
    authMethods: methods,
  };
}

/** Version 2 names the ID `methodId`, and lists the variables of a terminal login. */
function authMethod(value: unknown): readonly Loose[] {
  const method = looseObject(value);
  if (method === null) return [];
  const { methodId, type, env, ...rest } = method;
  const variables = looseList(env).flatMap((entry): readonly [string, string][] => {
    const { name, value: content } = looseObject(entry) ?? {};
    return typeof name === "string" && typeof content === "string" ? [[name, content]] : [];
  });
  return [
    {
      ...rest,
      id: methodId,
      ...(type !== "agent" && { type }),
      ...(variables.length > 0 && { env: Object.fromEntries<unknown>(variables) }),
    },
  ];
}

/** An empty object means yes. */
function isOffered(value: unknown): boolean {
  return value === true || looseObject(value) !== null;
}

function fieldsOf(object: Loose, names: readonly string[]): Loose {
  return Object.fromEntries(
    names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])),
  );
}
