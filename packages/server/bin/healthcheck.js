#!/usr/bin/env node
// Exits with 0 if the server of this environment replies to /healthz, otherwise with 1 and the reason. It is a small
// program of its own because a container runs it every few seconds.
const { readFileSync } = require("node:fs");
const { Agent, get } = require("node:http");
const { homedir } = require("node:os");
const path = require("node:path");

/** The program that runs the check has a shorter timeout, such as the three seconds of the image. */
const REPLY_WITHIN_MS = 30_000;
const {
  HOLDFAST_HOST: host = "",
  HOLDFAST_PORT: port = "",
  HOLDFAST_DATA: data = "",
  XDG_DATA_HOME: dataHome = "",
} = process.env;

const url = `${reachable(announcedUrl() ?? configuredUrl())}/healthz`;
const options = {
  // An agent of its own, because the default one may use a proxy of the environment.
  agent: new Agent(),
  signal: AbortSignal.timeout(REPLY_WITHIN_MS),
};
get(url, options, ({ statusCode }) => {
  if (statusCode === 200) process.exit(0);
  fail(`it replied with status ${statusCode}`);
}).on("error", (error) => fail(error.cause?.message ?? error.code ?? error.message));

function fail(reason) {
  console.error(`holdfast: ${url} is not healthy: ${reason}`);
  process.exit(1);
}

/** A running server writes its address to its data folder. It includes flags, and the port that `0` selected. */
function announcedUrl() {
  const folder = data || path.join(dataHome || path.join(homedir(), ".local", "share"), "holdfast");
  try {
    return JSON.parse(readFileSync(path.join(folder, "server.json"), "utf8")).url;
  } catch {
    return undefined;
  }
}

function configuredUrl() {
  const name = host || "127.0.0.1";
  return `http://${name.includes(":") ? `[${name}]` : name}:${port || "4664"}`;
}

/** A server that listens on all addresses is reached on loopback. */
function reachable(address) {
  return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
