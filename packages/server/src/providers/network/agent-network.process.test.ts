import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { localIn, openAgentNetwork, PROXY_PORT } from "./agent-network.ts";
import { rulesOf } from "./network-policy.ts";

const OPTIONS = { rules: rulesOf("off"), environment: {}, apis: [], user: null };

it("a network leaves no folder and no connection behind, also none of a server that was killed", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const abandoned = mkdtempSync(path.join(tmpdir(), `holdfast-network-${pid}-`));
  const used = mkdtempSync(path.join(tmpdir(), `holdfast-network-${process.pid}-`));
  onTestFinished(() => rmSync(used, { recursive: true }));
  const network = await openAgentNetwork(OPTIONS);
  expect([abandoned, used, network.folder].map((folder) => existsSync(folder))).toEqual([
    false,
    true,
    true,
  ]);
  const socket = connect(path.join(network.folder, String(PROXY_PORT)));
  await once(socket, "connect");
  network.close();
  await once(socket, "close");
  expect(existsSync(network.folder)).toBe(false);
});

it("addresses of this machine in an agent's variables are services that it was given", () => {
  const variables = {
    MODEL_URL: "http://127.0.0.1:8080/v1",
    OTHER_URL: "https://localhost:8443",
    SIX_URL: "http://[::1]:9000/",
    FAR_URL: "https://api.example.com",
    LOW_URL: "http://localhost/",
    KEY: "127.0.0.1:7000",
  };
  expect(localIn(variables)).toEqual([
    { host: "127.0.0.1", port: 8080 },
    { host: "localhost", port: 8443 },
    { host: "::1", port: 9000 },
  ]);
});
