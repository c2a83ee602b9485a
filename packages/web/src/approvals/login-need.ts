import { isObject } from "@holdfast/client";
import { visibleText } from "./visible-text.ts";

/** The login that a run waits for. */
export interface LoginNeed {
  readonly provider: string;
  /** Logs in on the server's machine. */
  readonly command: string;
  /** Ways that the server can begin for a person elsewhere. */
  readonly remote: readonly { readonly id: string; readonly name: string }[];
  /** Variables that replace a login, as texts such as "A or B". */
  readonly variables: readonly string[];
}

export function loginOf(request: Readonly<Record<string, unknown>>): LoginNeed {
  const { provider: name, methods: offered } = request;
  const provider = typeof name === "string" ? visibleText(name) : "";
  const methods = Array.isArray(offered) ? offered.filter(isObject) : [];
  return {
    provider,
    command: `holdfast login ${provider}`,
    remote: methods.flatMap(({ id, name: label, how }) =>
      how === "agent" && typeof id === "string"
        ? [{ id, name: typeof label === "string" ? visibleText(label) : id }]
        : [],
    ),
    variables: methods.flatMap(({ variables }) =>
      Array.isArray(variables)
        ? [variables.map((each) => visibleText(String(each))).join(" and ")]
        : [],
    ),
  };
}
