import { expect, it } from "vitest";
import { withLateModules } from "../../packages/server/build/late-modules.ts";

const EARLY = `const https = require('node:https')
const http2 = require('node:http2')
exports.open = (options) => options.http2 ? http2.createServer() : https.createServer()
`;

it("the framework loads HTTPS and HTTP/2 when a server uses them", () => {
  expect(withLateModules(EARLY)).toBe(
    "exports.open = (options) => options.http2 ? require('node:http2').createServer() : require('node:https').createServer()\n",
  );
});

it("a build of another framework, which loads them otherwise, fails", () => {
  expect(() => withLateModules("import https from 'node:https'")).toThrow("no longer loads https");
});
