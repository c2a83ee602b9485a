import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repeat } from "../../../../packages/server/src/domain/testing/repeat.ts";
import {
  openRaw,
  type RawDatabase,
} from "../../../../packages/server/src/storage/testing/raw-database.ts";
import { ROUTE_TABLE } from "../../route-table.ts";
import { errorIn, openFuzzRig, WITH_TOKEN, type FuzzRig } from "../fuzz-rig.ts";
import { mutate } from "../mutate.ts";
import { randomFrom, seedFor } from "../random.ts";
import { openRawWire, type RawWire } from "./raw-connection.ts";

const REQUESTS = repeat({ short: 60, long: 20_000 });
const CORPUS = path.join(import.meta.dirname, "corpus");

let rig: FuzzRig;
let wire: RawWire;
let raw: RawDatabase;
beforeAll(async () => {
  rig = await openFuzzRig();
  wire = openRawWire(rig.app, rig.port);
  raw = await openRaw(rig.test.location);
});
afterAll(async () => {
  await raw.close();
  await rig.close();
});

/** Requests that a server must refuse. A new one that breaks it is added by the failing run: commit the file with the fix. */
const corpus = readdirSync(CORPUS)
  .toSorted()
  .map((name) => ({ name, bytes: readFileSync(path.join(CORPUS, name)) }));

/** What is wrong with the server's behaviour after these bytes; null if nothing is. */
async function faultOf(bytes: Buffer): Promise<string | null> {
  const before = await stored();
  const { replies, rest } = await wire.exchange(bytes);
  const sent = wire.statuses();
  const failed = sent.find((status) => status >= 500);
  if (failed !== undefined) return `the server answered ${failed}`;
  const error = replies.map(errorIn).find((each) => each !== null);
  if (error !== undefined) return error;
  if (rest !== "" && !isBegun(rest)) return `the server sent ${rest}`;
  // A valid request may come before bytes that close the connection, so that its reply cannot be read.
  const statuses = [...sent, ...replies.map(({ status }) => status)];
  const isRefused = statuses.every((status) => status >= 400);
  if (!isRefused) return null;
  const after = await stored();
  return before === after ? null : `was refused, and stored something: ${before} ${after}`;
}

/** A client that closes the connection may miss the rest of a reply. */
const isBegun = (rest: string): boolean => rest.startsWith("HTTP/1.1 ");

async function stored(): Promise<string> {
  const tables = ["AgentSession", "AgentMessage", "SessionEvent", "Run", "Repo", "AccessToken"];
  const counts = tables.map((table) => `(select count(*) from "${table}") as "${table}"`);
  return JSON.stringify(await raw.all(`select ${counts.join(", ")}`));
}

/** Adds bytes that break the server to the corpus. */
function keep(bytes: Buffer): void {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  writeFileSync(path.join(CORPUS, `broke-${digest}`), bytes);
}

describe("a server that gets raw bytes", () => {
  it("refuses each request of the corpus, stores nothing, and answers the next", async () => {
    const faults: string[] = [];
    let refused = 0;
    for (const { name, bytes } of corpus) {
      const fault = await faultOf(bytes);
      if (fault !== null) faults.push(`${name}: ${fault}`);
      else refused += 1;
    }
    expect(faults).toEqual([]);
    expect(refused).toBeGreaterThan(90);
    await rig.expectSound();
  });

  it("refuses a wrong type in every field of every route, and stores nothing", async () => {
    const faults: string[] = [];
    for (const [name, { access, body, type }] of Object.entries(ROUTE_TABLE)) {
      if (access === "agent" || access === "public" || type !== undefined) continue;
      const fields = typeof body === "object" && body !== null ? Object.keys(body) : [];
      const bodies = [[], ...fields.map((field) => ({ ...Object(body), [field]: { a: [1] } }))];
      for (const wrong of body === undefined ? [] : bodies) {
        const text = JSON.stringify(wrong);
        const bytes = requestOf(name, text);
        const fault = await faultOf(bytes);
        if (fault !== null) faults.push(`${name} ${text}: ${fault}`);
        const { replies } = await wire.exchange(bytes);
        const statuses = replies.map(({ status }) => status);
        if (statuses.length !== 1 || statuses.some((status) => status < 400 || status >= 500))
          faults.push(`${name} ${text}: answered ${statuses.join(" ")}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it(`answers or refuses whatever comes, ${REQUESTS} times`, async () => {
    const random = randomFrom(seedFor("raw requests"));
    for (let count = 0; count < REQUESTS; count += 1) {
      const base = corpus[random.below(corpus.length)];
      if (base === undefined) throw new Error("the corpus is empty");
      const lines = base.bytes.toString("latin1").split("\n");
      const bytes = mutate(lines, random);
      const fault = await faultOf(bytes);
      if (fault !== null) keep(bytes);
      expect([base.name, fault]).toEqual([base.name, null]);
    }
    await rig.expectSound();
  });
});

function requestOf(name: string, body: string): Buffer {
  const [method = "", url = ""] = name.split(" ");
  return Buffer.from(
    [
      `${method} ${url.replaceAll(/:\w+/gu, "none")} HTTP/1.1`,
      "Host: localhost",
      `Authorization: ${WITH_TOKEN.authorization}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );
}
