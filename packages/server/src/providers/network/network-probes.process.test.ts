import { once } from "node:events";
import { createServer as createProxy } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { needProgram } from "../../domain/testing/machine.ts";
import { openSandboxWorld } from "../sandbox/testing/sandbox-world.ts";
import { openOtherHost, OTHER_HOST } from "./testing/other-host.ts";
import {
  needNetwork,
  only,
  openProber,
  ownAddresses,
  serveAbstract,
  serveHttp,
  serveUdp,
  SERVICE,
  type Probe,
} from "./testing/network-world.ts";

const LOOPBACK = ["127.0.0.1", "::1"];

/** A proxy outside that plays the internet: it answers for every host, and records which were asked for. */
async function openInternet(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const page = await serveHttp({ host: "127.0.0.1", port: 0 }, "the internet");
  const asked: string[] = [];
  const proxy = createProxy(({ url = "", headers }, response) => {
    asked.push(`${url} ${headers["proxy-authorization"] ?? ""}`.trim());
    response.end("the internet");
  });
  proxy.on("connect", ({ url = "" }, socket) => {
    asked.push(url);
    const remote = connect(page, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(remote).pipe(socket);
    });
    for (const each of [socket, remote]) each.on("error", () => {});
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

const through = (url: string) => ({
  provider: { environment: { HTTPS_PROXY: url, HTTP_PROXY: url } },
});

describe.each(["proxy", "full"] as const)("an agent in a sandbox with a %s network", (kind) => {
  beforeAll(() => needNetwork(kind));

  it("does not reach the services of this machine", async () => {
    const probe = await openProber(kind);
    const addresses = [...LOOPBACK, ...ownAddresses()];
    const port = await serveHttp({ host: "::", port: 0 });
    const udp = await Promise.all(
      addresses.map(async (host): Promise<Probe> => ({
        way: "udp",
        host,
        port: await serveUdp(host),
      })),
    );
    const probes: readonly Probe[] = [
      ...addresses.map((host): Probe => ({ way: "tcp", host, port })),
      ...udp,
      { way: "abstract", name: await serveAbstract() },
      ...[
        ...addresses,
        "localhost",
        "0.0.0.0",
        "::",
        "127.1",
        "::ffff:127.0.0.1",
        "2130706433",
      ].map((host): Probe => ({ way: "tunnel", host, port })),
      { way: "fetch", url: `http://localhost:${port}/` },
      { way: "raw", text: `GET http://localhost:${port}/ HTTP/1.1\r\nconnection: close\r\n\r\n` },
      { way: "raw", text: `GET http://[::1]:${port}/ HTTP/1.1\r\nconnection: close\r\n\r\n` },
      { way: "raw", text: `GET /readyz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n` },
    ];
    const results = await probe("open", probes);
    expect(results).toHaveLength(probes.length);
    expect(results.filter((result) => result.includes(SERVICE))).toEqual([]);
    expect(results.filter((result) => !/^failed: |^HTTP\/1.1 403 /u.test(result))).toEqual([]);
    // The same probes succeed where the network is shared, so they can fail.
    const shared = await probe("shared", probes.slice(0, 2 * addresses.length + 1));
    expect(shared.filter((result) => !result.includes(SERVICE))).toEqual([]);
  });

  it("reaches services of this machine that its network names, and no others", async () => {
    const probe = await openProber(kind);
    const [named, other] = [await serveHttp(), await serveHttp()];
    const results = await probe({ local: [`localhost:${named}`] }, [
      { way: "tcp", host: "127.0.0.1", port: named },
      { way: "tcp", host: "::1", port: named },
      { way: "fetch", url: `http://localhost:${named}/` },
      { way: "tunnel", host: "127.0.0.1", port: named },
      { way: "tcp", host: "127.0.0.1", port: other },
      { way: "tunnel", host: "127.0.0.1", port: other },
    ]);
    expect(results.map((result) => result.includes(SERVICE))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it("reaches another machine, and not this one in its network, nor the containers of this one", async () => {
    const probe = await openProber(kind);
    const other = await openOtherHost({ isContainer: false });
    const container = await openOtherHost({ isContainer: true });
    const port = await serveHttp({ host: "::", port: 0 });
    const way = kind === "full" ? "tcp" : "tunnel";
    const targets = [
      ...other.addresses.map((host) => ({ host, port: other.port, isOpen: true })),
      ...other.own.map((host) => ({ host, port, isOpen: false })),
      ...container.addresses.map((host) => ({ host, port: container.port, isOpen: false })),
      ...container.own.map((host) => ({ host, port, isOpen: false })),
    ];
    const probes = targets.map(({ host, port: at }): Probe => ({ way, host, port: at }));
    const results = await probe("open", [
      ...probes,
      ...other.addresses.map((host): Probe => ({ way: "udp", host, port: other.port })),
    ]);
    expect(results.map((result) => result.includes(OTHER_HOST))).toEqual([
      ...targets.map(({ isOpen }) => isOpen),
      ...other.addresses.map(() => kind === "full"),
    ]);
    expect(results.join()).not.toContain(SERVICE);
    const off = await probe("off", [
      ...probes,
      ...targets.map(({ host, port: at }): Probe => ({ way: "tcp", host, port: at })),
    ]);
    expect(off.join()).not.toMatch(new RegExp(`${OTHER_HOST}|${SERVICE}`, "u"));
  });
});

describe("an agent in a sandbox", () => {
  const kind = "proxy";
  beforeAll(() => needNetwork(kind));

  it("reaches a service of this machine that its own variables name, such as a model", async () => {
    const probe = await openProber(kind);
    const port = await serveHttp();
    const probes: readonly Probe[] = [{ way: "fetch", url: `http://127.0.0.1:${port}/v1` }];
    const definition = { passes: ["MINE_BASE_URL"] };
    const environment = { MINE_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const given = { definition, provider: { environment } };
    expect(await probe("open", probes, given)).toEqual([`200 ${SERVICE}`]);
    expect(await probe("off", probes, given)).toEqual(["failed: ECONNREFUSED"]);
    expect(await probe("open", probes, { provider: { environment } })).toEqual([
      "failed: ECONNREFUSED",
    ]);
  });

  it("reaches other hosts with an open network, through the proxy of the environment", async () => {
    const probe = await openProber(kind);
    const { url, asked } = await openInternet();
    const probes: readonly Probe[] = [
      { way: "tunnel", host: "api.example.com", port: 443 },
      { way: "tunnel", host: "203.0.113.7", port: 443 },
      { way: "tunnel", host: "2001:db8::7", port: 8443 },
    ];
    const results = await probe("open", probes, through(url));
    expect(results.filter((result) => !result.includes("the internet"))).toEqual([]);
    expect(asked).toEqual(["api.example.com:443", "203.0.113.7:443", "[2001:db8::7]:8443"]);
  });

  it("uses the proxies of the environment for Git and plain HTTP, with their passwords and exceptions", async () => {
    needProgram("git");
    const { run, environment } = await openSandboxWorld(only(kind));
    const { url, asked } = await openInternet();
    const proxies = {
      HTTPS_PROXY: url,
      http_proxy: url.replace("//", "//me:pass%21@"),
      NO_PROXY: ".direct.test",
    };
    const output = await run(
      "git ls-remote https://git.example.com/x; git ls-remote http://git.example.com/x; git ls-remote http://a.direct.test/",
      { provider: { environment: { ...environment, ...proxies } } },
    );
    const basic = `Basic ${Buffer.from("me:pass!").toString("base64")}`;
    expect(asked.slice(0, 2)).toEqual([
      "git.example.com:443",
      `http://git.example.com/x/info/refs?service=git-upload-pack ${basic}`,
    ]);
    expect(output).toMatch(/'http:\/\/a\.direct\.test\/': The requested URL returned error: 502/u);
    expect(asked.join()).not.toContain("direct");
  });

  it("reaches nothing when the network is off, and only the hosts that are named", async () => {
    const probe = await openProber(kind);
    const { url, asked } = await openInternet();
    const hosts = ["api.example.com", "*.trusted.example:443", "203.0.113.7"];
    const allowed: readonly Probe[] = [
      { way: "tunnel", host: "api.example.com", port: 443 },
      { way: "tunnel", host: "API.example.com.", port: 8443 },
      { way: "tunnel", host: "a.b.trusted.example", port: 443 },
      { way: "tunnel", host: "203.0.113.7", port: 443 },
    ];
    const refused: readonly Probe[] = [
      { way: "tunnel", host: "example.com", port: 443 },
      { way: "tunnel", host: "api.example.com.evil.test", port: 443 },
      { way: "tunnel", host: "trusted.example", port: 443 },
      { way: "tunnel", host: "a.trusted.example", port: 80 },
      // An address to which a page of an allowed host could redirect.
      { way: "tunnel", host: "198.51.100.9", port: 443 },
      { way: "tunnel", host: "2001:db8::9", port: 443 },
      { way: "tunnel", host: "169.254.169.254", port: 80 },
      { way: "raw", text: "GET http://198.51.100.9/ HTTP/1.1\r\nconnection: close\r\n\r\n" },
    ];
    const off = await probe("off", [...allowed, ...refused], through(url));
    expect(off.filter((result) => !result.startsWith("HTTP/1.1 403 "))).toEqual([]);
    expect(asked).toEqual([]);
    const some = await probe({ hosts }, [...allowed, ...refused], through(url));
    expect(some.map((result) => result.includes("the internet"))).toEqual([
      ...allowed.map(() => true),
      ...refused.map(() => false),
    ]);
    expect(asked).toHaveLength(allowed.length);
  });
});
