import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTcpProxy, PASS, type TcpProxy } from "./tcp-proxy.ts";

let target: Server;
let proxy: TcpProxy;
/** The bytes that the server behind the proxy received, per connection, in order. */
let behind: { socket: Socket; heard: string; ended: boolean }[];
const near: Socket[] = [];

beforeEach(async () => {
  behind = [];
  target = createServer({ allowHalfOpen: true }, (socket) => {
    const seen = { socket, heard: "", ended: false };
    behind.push(seen);
    socket.on("error", () => {});
    socket.on("end", () => (seen.ended = true));
    socket.on("data", (bytes) => {
      seen.heard += bytes.toString();
      socket.write(`echo ${bytes.toString()}`);
    });
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  proxy = await openTcpProxy({ host: "127.0.0.1", port: (target.address() as AddressInfo).port });
});
afterEach(async () => {
  for (const socket of near.splice(0)) socket.destroy();
  for (const { socket } of behind) socket.destroy();
  await proxy.close();
  await new Promise((resolve) => target.close(resolve));
});

async function dial(): Promise<Socket> {
  const socket = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
  near.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Not `once`, which rejects after a reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

async function ask(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [bytes] = (await once(socket, "data")) as [Buffer];
  return bytes.toString();
}

describe("a proxy between a node and its database", () => {
  it("passes what is said, both ways, and tells each side of the other's end", async () => {
    const socket = await dial();
    expect(await ask(socket, "hello")).toBe("echo hello");
    socket.end();
    await expect.poll(() => behind[0]?.ended).toBe(true);
    behind[0]?.socket.end();
    await once(socket, "end");
    await expect.poll(() => proxy.connections().length).toBe(0);
  });

  it("delays everything, and keeps its order when the delay ends", async () => {
    const socket = await dial();
    await ask(socket, "a");
    proxy.set({ mode: "delay", ms: 150 });
    const before = performance.now();
    socket.write("b");
    await expect.poll(() => behind[0]?.heard).toBe("ab");
    expect(performance.now() - before).toBeGreaterThan(140);
    proxy.set({ mode: "delay", ms: 80 });
    socket.write("c");
    await expect.poll(() => proxy.connections().length).toBe(1);
    proxy.set(PASS);
    socket.write("d");
    await expect.poll(() => behind[0]?.heard).toBe("abcd");
  });

  it("resets the connections there are, and takes new ones", async () => {
    const socket = await dial();
    await ask(socket, "a");
    const gone = closed(socket);
    proxy.cut();
    await gone;
    await expect.poll(() => behind[0]?.socket.destroyed).toBe(true);
    expect(await ask(await dial(), "b")).toBe("echo b");
  });

  it("swallows both ways without a word, for good on those connections, and works for others after it", async () => {
    const socket = await dial();
    await ask(socket, "a");
    const heard: string[] = [];
    socket.on("data", (bytes) => heard.push(bytes.toString()));
    proxy.set({ mode: "blackhole" });
    const silent = await dial();
    await expect.poll(() => proxy.connections().length).toBe(2);
    socket.write("b");
    silent.write("c");
    behind[0]?.socket.write("unheard");
    socket.end();
    proxy.set(PASS);
    expect(await ask(await dial(), "d")).toBe("echo d");
    expect(behind.map((each) => [each.heard, each.ended])).toEqual([
      ["a", false],
      ["", false],
      ["d", false],
    ]);
    expect(heard).toEqual([]);
    expect([socket.destroyed, silent.destroyed]).toEqual([false, false]);
  });

  it("holds back what is sent, and lets it arrive later in its order", async () => {
    const socket = await dial();
    await ask(socket, "a");
    proxy.set({ mode: "hold" });
    const heard: string[] = [];
    socket.on("data", (bytes: Buffer) => heard.push(bytes.toString()));
    socket.write("b");
    behind[0]?.socket.write("unasked ");
    const fresh = await dial();
    const answered = ask(fresh, "c");
    expect([behind[0]?.heard, heard]).toEqual(["a", []]);
    proxy.set(PASS);
    expect(await answered).toBe("echo c");
    socket.write("d");
    await expect.poll(() => heard.join("")).toBe("unasked echo becho d");
    expect(behind[0]?.heard).toBe("abd");
  });

  it("refuses new connections and leaves those there are", async () => {
    const socket = await dial();
    await ask(socket, "a");
    proxy.set({ mode: "refuse" });
    const refused = connect(proxy.port, "127.0.0.1");
    near.push(refused);
    const [error] = (await once(refused, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNRESET");
    expect(await ask(socket, "b")).toBe("echo b");
    expect(behind.length).toBe(1);
  });

  it("does any of this to one connection only", async () => {
    const [first, second] = [await dial(), await dial()];
    await ask(first, "a");
    await ask(second, "a");
    const gone = closed(first);
    proxy.connections()[0]?.cut();
    await gone;
    expect(await ask(second, "b")).toBe("echo b");
    proxy.connections()[0]?.set({ mode: "blackhole" });
    second.write("c");
    expect(await ask(await dial(), "d")).toBe("echo d");
    expect(behind[1]?.heard).toBe("ab");
  });

  it("tells the client when nobody is behind it", async () => {
    for (const { socket } of behind) socket.destroy();
    await new Promise((resolve) => target.close(resolve));
    const socket = connect(proxy.port, "127.0.0.1");
    near.push(socket);
    socket.on("error", () => {});
    await closed(socket);
    target.listen(0, "127.0.0.1");
    await once(target, "listening");
  });

  it("closes although connections are open", async () => {
    const socket = await dial();
    await ask(socket, "a");
    proxy.set({ mode: "blackhole" });
    const gone = closed(socket);
    await proxy.close();
    await gone;
    proxy = await openTcpProxy({ host: "127.0.0.1", port: 9 });
  });
});
