import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";
import { need, needProgram } from "../../../domain/testing/machine.ts";

/** Another machine on a network of its own: a network namespace with a server for TCP and UDP. */
export interface OtherHost {
  readonly port: number;
  /** Its addresses. */
  readonly addresses: readonly string[];
  /** Addresses of this machine in the same network. */
  readonly own: readonly string[];
}

export const OTHER_HOST = "another machine";

/** With a bridge in between, it is a container of this machine. */
export async function openOtherHost({ isContainer }: { isContainer: boolean }): Promise<OtherHost> {
  need(process.getuid?.() === 0 ? null : "only root can add network interfaces");
  need(
    existsSync("/proc/self/ns/net")
      ? null
      : "there are no network namespaces, which only Linux has",
  );
  needProgram("unshare", "util-linux");
  needProgram("ip", "iproute2");
  const child = spawn("unshare", ["--net", process.execPath, "-e", SERVER], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [bytes] = (await once(child.stdout, "data")) as [Buffer];
  const id = `${process.pid % 10_000}${isContainer ? "c" : "h"}`;
  const [here, there, bridge] = [`hfa${id}`, `hfb${id}`, `hfr${id}`];
  const ip = (...args: readonly string[]): unknown => execFileSync("ip", args);
  const inside = (...args: readonly string[]): unknown =>
    execFileSync("nsenter", ["--net", `--target=${child.pid}`, "ip", ...args]);
  onTestFinished(async () => {
    for (const name of isContainer ? [here, bridge] : [here]) {
      if (existsSync(`/sys/class/net/${name}`)) ip("link", "del", name);
    }
    // Its network ends with it, and would take an interface away that is being deleted.
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", String(child.pid));
  if (isContainer) {
    ip("link", "add", bridge, "type", "bridge");
    ip("link", "set", here, "master", bridge);
    ip("link", "set", bridge, "up");
  }
  // Each process has networks of its own, because tests run side by side.
  const number = process.pid % 250;
  const net = isContainer
    ? [`172.31.${number}.`, `2001:db8:99:${number}::`]
    : [`198.18.${number}.`, `2001:db8:98:${number}::`];
  const ends = net.map(
    (start) => [`${start}1`, `${start}2`, start.endsWith(":") ? 64 : 24] as const,
  );
  for (const [mine, theirs, prefix] of ends) {
    const options = prefix === 64 ? ["nodad"] : [];
    ip("address", "add", `${mine}/${prefix}`, "dev", isContainer ? bridge : here, ...options);
    inside("address", "add", `${theirs}/${prefix}`, "dev", there, ...options);
  }
  ip("link", "set", here, "up");
  inside("link", "set", there, "up");
  return {
    port: Number(bytes.toString()),
    addresses: ends.map(([, theirs]) => theirs),
    own: ends.map(([mine]) => mine),
  };
}

const SERVER = `
  const answer = ${JSON.stringify(OTHER_HOST)};
  const server = require("http").createServer((_, response) => response.end(answer));
  server.listen(0, "::", () => {
    const { port } = server.address();
    for (const type of ["udp4", "udp6"]) {
      const socket = require("dgram").createSocket({ type, ipv6Only: type === "udp6" });
      socket.on("message", (_, { address, port: from }) => socket.send(answer, from, address));
      socket.bind(port);
    }
    console.log(port);
  });
`;
