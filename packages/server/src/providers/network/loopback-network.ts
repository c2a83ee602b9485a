import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { createEgress } from "./egress.ts";
import type { NetworkRules } from "./network-policy.ts";
import { proxyVariables } from "./proxy-variables.ts";

/** The network of an agent on a system without network namespaces: only the egress, on a port of this machine. */
export interface LoopbackNetwork {
  readonly port: number;
  /** Variables that lead programs to the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** The address for the agent of an address of our API. */
  readonly inside: (url: URL) => string;
  readonly close: () => void;
}

export interface LoopbackNetworkOptions {
  readonly rules: NetworkRules;
  /** The variables of the agent. */
  readonly environment: Readonly<Record<string, string>>;
  /** The addresses of our API that the agent may use. */
  readonly apis: readonly URL[];
}

/** Other programs of this machine reach the port, too, so its proxy needs a password. */
export async function openLoopbackNetwork(
  options: LoopbackNetworkOptions,
): Promise<LoopbackNetwork> {
  const password = randomBytes(24).toString("base64url");
  const { proxy } = createEgress({ ...options, password });
  const open = new Set<Socket>();
  proxy.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  if (address === null || typeof address === "string")
    throw new Error("unreachable: a server on TCP has a port");
  const { port } = address;
  return {
    port,
    environment: proxyVariables(`http://agent:${password}@127.0.0.1:${port}`),
    inside: ({ pathname }) => `http://127.0.0.1:${port}${pathname}`,
    close: () => {
      proxy.close();
      for (const socket of open) socket.destroy();
    },
  };
}
