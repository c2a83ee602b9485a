import type { Socket } from "node:net";
import { normalHost, type Target } from "./network-policy.ts";
import { http, https } from "./node-http.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that the environment names for a target; null if there is none. */
export function proxyFor(
  { host, port }: Target,
  protocol: "http" | "https",
  environment: Environment,
): URL | null {
  const value = read(environment, `${protocol}_proxy`) ?? read(environment, "all_proxy") ?? null;
  if (value === null || isExempt(read(environment, "no_proxy") ?? "", host, port)) return null;
  const url = URL.parse(value.includes("://") ? value : `http://${value}`);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url : null;
}

export function namesProxy(environment: Environment): boolean {
  return ["http_proxy", "https_proxy", "all_proxy"].some(
    (name) => read(environment, name) !== undefined,
  );
}

function read(environment: Environment, name: string): string | undefined {
  const value = environment[name] ?? environment[name.toUpperCase()];
  return value === "" ? undefined : value;
}

/** Entries of NO_PROXY are names, with or without a dot or a star before them, and with or without a port. */
function isExempt(list: string, host: string, port: number): boolean {
  return list
    .split(/[\s,]+/u)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = "", only] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/u.exec(entry) ?? [];
      const suffix = normalHost(name.replace(/^\*?\./u, ""));
      if (only !== undefined && Number(only) !== port) return false;
      return host === suffix || host.endsWith(`.${suffix}`);
    });
}

/** Opens a tunnel through a proxy. */
export function tunnelThrough(proxy: URL, target: Target, signal: AbortSignal): Promise<Socket> {
  const authority = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  const { request: connect } = proxy.protocol === "https:" ? https() : http();
  return new Promise((resolve, reject) => {
    const request = connect({
      method: "CONNECT",
      host: normalHost(proxy.hostname),
      port: proxy.port === "" ? undefined : proxy.port,
      path: authority,
      headers: { host: authority, ...credentialsOf(proxy) },
      agent: false,
      signal,
    });
    request.once("connect", ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket as Socket);
        return;
      }
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answered with ${statusCode}`));
    });
    request.once("response", (response) => {
      response.destroy();
      reject(new Error(`the proxy ${proxy.host} answered with ${response.statusCode}`));
    });
    request.once("error", reject);
    request.end();
  });
}

/** The header with the name and password of a proxy's URL. */
export function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
