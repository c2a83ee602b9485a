/** Runs inside a sandbox: tries to reach targets, given as JSON, and prints what came back for each. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";

const PATIENCE_MS = 5_000;
/** Agents find the proxy there, whether or not their variables name it. */
const proxy = new URL("http://127.0.0.1:47047");

async function firstBytes(socket, question = "") {
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("silence")));
  await once(socket, "connect");
  socket.write(question);
  const [bytes] = await once(socket, "data");
  socket.destroy();
  return String(bytes);
}

const WAYS = {
  tcp: ({ host, port }) => firstBytes(connect({ host, port }), "GET / HTTP/1.0\r\n\r\n"),
  abstract: ({ name }) => firstBytes(connect({ path: `\0${name}` }), "hello"),
  udp: async ({ host, port }) => {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    try {
      socket.send("hello", port, host);
      const [bytes] = await once(socket, "message", { signal: AbortSignal.timeout(300) });
      return String(bytes);
    } finally {
      socket.close();
    }
  },
  /** Asks the proxy for a tunnel, whatever NO_PROXY says, and sends a request through it. */
  tunnel: async ({ host, port }) => {
    const socket = connect({ host: proxy.hostname, port: Number(proxy.port) });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("silence")));
    await once(socket, "connect");
    socket.write(`CONNECT ${host.includes(":") ? `[${host}]` : host}:${port} HTTP/1.1\r\n\r\n`);
    const [head] = await once(socket, "data");
    if (!String(head).startsWith("HTTP/1.1 200")) return String(head);
    socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    const [bytes] = await once(socket, "data");
    socket.destroy();
    return String(bytes);
  },
  /** Sends a request to the proxy as it is written. */
  raw: ({ text }) => firstBytes(connect({ host: proxy.hostname, port: Number(proxy.port) }), text),
  fetch: async ({ url }) => {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return `${response.status} ${await response.text()}`;
  },
};

const results = [];
for (const target of JSON.parse(process.argv[2])) {
  const result = await WAYS[target.way](target).catch(
    (error) => `failed: ${error.code ?? error.cause?.code ?? error.message}`,
  );
  results.push(result);
}
process.stdout.write(JSON.stringify(results));
