import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type ListenOptions } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { RigOptions } from "../../testing/agent-rig.ts";
import { need } from "../../../domain/testing/machine.ts";
import { openSandbox, type SandboxOptions } from "../../sandbox/sandbox.ts";
import { needSandbox, openSandboxWorld } from "../../sandbox/testing/sandbox-world.ts";
import type { NetworkPolicy } from "../network-policy.ts";

/** What a probe inside tries; see `probe.mjs`. */
export type Probe =
  | { readonly way: "tcp" | "udp" | "tunnel"; readonly host: string; readonly port: number }
  | { readonly way: "abstract"; readonly name: string }
  | { readonly way: "raw"; readonly text: string }
  | { readonly way: "fetch"; readonly url: string };

export const SERVICE = "a service of this machine";

type Prober = (
  network: NetworkPolicy,
  probes: readonly Probe[],
  options?: RigOptions,
) => Promise<readonly string[]>;

/** Skips the test where agents cannot have this kind of network. */
export async function needNetwork(kind: "full" | "proxy"): Promise<void> {
  await needSandbox();
  const sandbox = await openSandbox({
    mode: "auto",
    environment: process.env,
    dataFolder: path.join(tmpdir(), randomUUID()),
    ...only(kind),
  });
  need(
    sandbox.network?.kind === kind
      ? null
      : "slirp4netns does not work here (Debian: apt install slirp4netns)",
  );
}

export function only(kind: "full" | "proxy"): Pick<SandboxOptions, "findUserNetwork"> {
  return kind === "full"
    ? {}
    : { findUserNetwork: () => Promise.resolve("It is not tested here.") };
}

/** Runs probes in a new agent with this network; the result of each is what came back. */
export async function openProber(kind: "full" | "proxy"): Promise<Prober> {
  const { repo, run, environment } = await openSandboxWorld(only(kind));
  copyFileSync(path.join(import.meta.dirname, "probe.mjs"), path.join(repo, "probe.mjs"));
  return async (network, probes, options = {}) => {
    const output = await run(`"${process.execPath}" probe.mjs '${JSON.stringify(probes)}'`, {
      ...options,
      definition: { network, ...options.definition },
      provider: {
        ...options.provider,
        environment: { ...environment, ...options.provider?.environment },
      },
    });
    try {
      return JSON.parse(output) as readonly string[];
    } catch {
      throw new Error(output);
    }
  };
}

/** An HTTP server outside; its port. */
export async function serveHttp(
  listen: ListenOptions = { host: "127.0.0.1", port: 0 },
  answer: string = SERVICE,
): Promise<number> {
  const server = createServer((_, response) => response.end(answer));
  server.listen(listen);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

export async function serveUdp(host: string): Promise<number> {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  socket.on("message", (_, { address, port }) => socket.send(SERVICE, port, address));
  socket.bind(0, host);
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return socket.address().port;
}

/** A socket in the abstract namespace; its name. */
export async function serveAbstract(): Promise<string> {
  const name = `holdfast-test-${process.pid}-${Math.random()}`;
  const server = createTcpServer((socket) => socket.end(SERVICE));
  server.listen(`\0${name}`);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return name;
}

/** Addresses of this machine in its networks. */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0)
    .map(({ address }) => address);
}
