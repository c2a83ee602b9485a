import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  readonly url: string;
  /** Connections on which something was asked: Node opens one more, unused, when it gives one up. */
  asked(): number;
  close(): Promise<void>;
}

/** Stands before a server and cuts each connection after so many bytes of the answer. */
export async function openCuttingProxy(
  target: string,
  { bytesOf }: { bytesOf: (asked: number) => number },
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let asked = 0;
  const server = createServer((client) => {
    let left = 0;
    client.once("data", () => {
      left = bytesOf(asked);
      asked += 1;
    });
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      client.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) client.destroySoon();
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const ownPort = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${ownPort}`,
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
