import { connect } from "node:net";
import { expect, it } from "vitest";
import { listen, testApp } from "../testing/test-app.ts";

/** All bytes that the server sends for requests on one connection. */
async function answersTo(port: number, ...requests: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const last = requests.length - 1;
  for (const [index, request] of requests.entries()) {
    const close = index === last ? "connection: close\r\n" : "";
    socket.write(`${request} HTTP/1.1\r\nhost: localhost\r\n${close}\r\n`);
  }
  let received = "";
  for await (const bytes of socket) received += String(bytes);
  return received;
}

it("HEAD gets the reply of GET without its body, and the connection stays open", async () => {
  const app = await testApp({ runtime: { listSuspensions: async () => [] } });
  const port = await listen(app);
  const whole = await answersTo(port, "GET /api/suspensions");
  const length = /content-length: (\d+)/u.exec(whole)?.[1];
  expect(Number(length)).toBeGreaterThan(10);

  const received = await answersTo(port, "HEAD /api/suspensions", "HEAD /nowhere", "GET /healthz");
  const [head = "", missing = "", health = "", body = ""] = received.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1.1 200 /u);
  expect(head).toContain(`content-length: ${length}`);
  expect(missing).toMatch(/^HTTP\/1.1 404 /u);
  expect(health).toMatch(/^HTTP\/1.1 200 /u);
  expect(body).toContain('"status"');
});

it("HEAD for a POST route is refused with the supported methods", async () => {
  const app = await testApp();
  const reply = await app.inject({ method: "HEAD", url: "/api/sessions/s1/cancel" });
  expect([reply.statusCode, reply.headers.allow]).toEqual([405, "POST"]);
});
