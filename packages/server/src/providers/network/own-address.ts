import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";

/**
 * Whether an address leads to this machine: loopback, an address of one of its interfaces, its containers, and the
 * links on which only the machine itself should ask, such as the one to the metadata of a cloud. Interfaces come and
 * go, so it is asked for each connection.
 */
export async function isOwnAddress(address: string): Promise<boolean> {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (NEVER.check(address, family) || isVirtual(address, family)) return true;
  return sendsFromItself(address, family);
}

const NEVER = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 3],
] as const)
  NEVER.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  NEVER.addSubnet(network, prefix, "ipv6");

/**
 * The system connects to its own addresses from the address itself. This finds all of them, also those of
 * interfaces without a link, which `networkInterfaces` leaves out. Connecting a UDP socket sends nothing.
 */
async function sendsFromItself(address: string, family: "ipv4" | "ipv6"): Promise<boolean> {
  const socket = createSocket(family === "ipv6" ? "udp6" : "udp4");
  try {
    socket.connect(DISCARD, address);
    await once(socket, "connect");
    return socket.address().address === socket.remoteAddress().address;
  } catch {
    // There is no route to it.
    return false;
  } finally {
    socket.close();
  }
}

const DISCARD = 9;

function isVirtual(address: string, family: "ipv4" | "ipv6"): boolean {
  const list = new BlockList();
  for (const name of virtualBridges())
    for (const own of networkInterfaces()[name] ?? []) {
      const prefix = Number(own.cidr?.split("/")[1] ?? Number.NaN);
      if (Number.isInteger(prefix))
        list.addSubnet(own.address, prefix, own.family === "IPv6" ? "ipv6" : "ipv4");
    }
  return list.check(address, family);
}

/** Bridges without a physical port: their networks are those of containers and virtual machines of this machine. */
export function virtualBridges(): readonly string[] {
  return Object.keys(networkInterfaces()).filter(isVirtualBridge);
}

function isVirtualBridge(name: string): boolean {
  const ports = path.join("/sys/class/net", name, "brif");
  if (!existsSync(ports)) return false;
  return !readdirSync(ports).some((port) =>
    existsSync(path.join("/sys/class/net", port, "device")),
  );
}
