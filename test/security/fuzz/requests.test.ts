import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repeat } from "../../../packages/server/src/domain/testing/repeat.ts";
import { AGENT_TOKENS, errorIn, openFuzzRig, WITH_TOKEN, type FuzzRig } from "./fuzz-rig.ts";
import { createGenerator, type Generator, type Schema } from "./generate.ts";
import { BODY_CORPUS, NASTY_JSON } from "./nasty.ts";
import { randomFrom, seedFor, type Random } from "./random.ts";
import type { Answer, WireRequest } from "./wire.ts";

const REQUESTS = repeat({ short: 200, long: 2_400 });
const AT_ONCE = 4;
/** Sent before a request is matched to an operation. */
const HEADERS_TOO_LARGE = 431;

interface Parameter {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly schema: Schema;
}

interface Operation {
  readonly method: string;
  readonly url: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: string; readonly schema: Schema } | null;
  /** Documented statuses with their descriptions, which list the problem codes. */
  readonly answers: ReadonlyMap<number, string>;
}

let rig: FuzzRig;
let operations: readonly [Operation, ...Operation[]];
let schemas: Readonly<Record<string, Schema>>;

beforeAll(async () => {
  rig = await openFuzzRig();
  const document = JSON.parse((await rig.wire.send({ method: "GET", path: "/openapi.json" })).body);
  schemas = document.components.schemas;
  const all = Object.entries<Record<string, DescribedOperation>>(document.paths).flatMap(
    ([url, methods]) =>
      Object.entries(methods).map(([method, described]) => toOperation(method, url, described)),
  );
  const [first, ...rest] = all;
  if (first === undefined) throw new Error("the API description is empty");
  operations = [first, ...rest];
});
afterAll(() => rig.close());

interface DescribedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

function toOperation(
  method: string,
  url: string,
  { parameters = [], requestBody, responses }: DescribedOperation,
): Operation {
  const [content] = Object.entries(requestBody?.content ?? {});
  return {
    method: method.toUpperCase(),
    url,
    parameters,
    body: content === undefined ? null : { type: content[0], schema: content[1].schema },
    answers: new Map(
      Object.entries(responses).map(([status, { description }]) => [Number(status), description]),
    ),
  };
}

/** Existing IDs, collected from responses, so that requests reach more than a 404. */
class KnownIds {
  readonly #ids: string[] = [];
  readonly #random: Random;

  constructor(random: Random, ids: readonly string[]) {
    this.#random = random;
    this.#ids.push(...ids);
  }

  learn(body: string): void {
    const { id, message } = Object(tryParse(body));
    for (const newId of [id, Object(message).id])
      if (typeof newId === "string" && newId !== "") this.#ids.push(newId);
    if (this.#ids.length > 60) this.#ids.splice(this.#random.below(50), 1);
  }

  get words(): readonly [string, ...string[]] {
    return ["word", "demo", "two words", "ünï·çødé 🦕", ...this.#ids.slice(-6)];
  }

  pick(): string {
    return this.#ids[this.#random.below(this.#ids.length)] ?? "none";
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A value for a path, a query or a header, which are not JSON. */
function plain(json: string): string {
  const value = tryParse(json);
  return typeof value === "string" ? value : json.slice(0, 2_000);
}

function makeRequest(
  operation: Operation,
  random: Random,
  make: Generator,
  known: KnownIds,
): WireRequest {
  const validity = random.pick(["valid", "valid", "nearly", "nearly", "wrong"] as const);
  const write = (schema: Schema): string =>
    validity === "wrong"
      ? make.wrong()
      : validity === "nearly"
        ? make.nearly(schema)
        : make.valid(schema);
  const headers: Record<string, string> = { ...WITH_TOKEN };
  const query = new URLSearchParams();
  let session = "";
  const path = operation.url.replaceAll(/\{\w+\}/gu, () => {
    const value = validity === "wrong" && random.chance(0.5) ? plain(make.wrong()) : known.pick();
    session ||= value;
    // A lone surrogate cannot be sent in a path.
    return encodeURIComponent(value.toWellFormed().slice(0, 500)) || "none";
  });
  for (const { in: place, name, schema } of operation.parameters) {
    if (place === "path" || !random.chance(0.5)) continue;
    const value = plain(write(schema));
    if (place === "query") query.append(name, value);
    else headers[name] = value.replaceAll(/[^\t -~]/gu, "").slice(0, 500);
    if (place === "query" && random.chance(0.05)) query.append(name, "twice");
  }
  if (operation.url.startsWith("/api/agent/") && random.chance(0.9))
    headers["authorization"] = `Bearer ${AGENT_TOKENS.of(session)}`;
  const search = query.size === 0 ? "" : `?${query.toString()}`;
  const request = { method: operation.method, path: `${path}${search}`, headers };
  if (operation.body === null) return request;
  headers["content-type"] = operation.body.type;
  const { schema } = operation.body;
  return { ...request, body: random.chance(0.1) ? random.pick(BODY_CORPUS) : write(schema) };
}

function isDescribed({ answers }: Operation, { status, body }: Answer): boolean {
  const description = answers.get(status);
  if (description === undefined) return status === HEADERS_TOO_LARGE;
  return status < 400 || description.split(", ").includes(JSON.parse(body).code);
}

describe("requests generated from the API description", () => {
  it(`get documented responses or problems, ${REQUESTS} of them, and leave the database intact`, async () => {
    const random = randomFrom(seedFor("requests"));
    const ids = [rig.test.repoId, await rig.test.createSession(), await rig.test.createSession()];
    const known = new KnownIds(random, ids);
    const make = createGenerator({ random, schemas, words: () => known.words });
    const errors: string[] = [];
    const statuses = new Map<number, number>();
    let count = 0;
    const one = async (): Promise<void> => {
      const operation = random.pick(operations);
      count += 1;
      const request = makeRequest(operation, random, make, known);
      const answer = await rig.wire.send(request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const error =
        errorIn(answer) ??
        (isDescribed(operation, answer)
          ? null
          : `answered ${answer.status}, which is not documented: ${answer.body.slice(0, 300)}`);
      if (error !== null) {
        const body = String(request.body ?? "").slice(0, 300);
        errors.push(`${request.method} ${request.path.slice(0, 300)} ${body} → ${error}`);
      }
      known.learn(answer.body);
    };
    while (count < REQUESTS) await Promise.all(Array.from({ length: AT_ONCE }, one));

    expect({ seed: random.seed, errors: errors.slice(0, 10) }).toEqual({
      seed: random.seed,
      errors: [],
    });
    // Enough requests must have succeeded.
    const successes = [200, 201, 202].reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
    expect(successes).toBeGreaterThan(REQUESTS / 10);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    await rig.expectSound();
  });

  it("accept or refuse every body of the corpus, on every operation with a body", async () => {
    const errors: string[] = [];
    let count = 0;
    for (const { method, url, body } of operations) {
      if (body === null) continue;
      const path = url.replaceAll(/\{\w+\}/gu, "none");
      const corpus = [...BODY_CORPUS, ...NASTY_JSON.filter((json) => json.length < 20_000)];
      const requests = corpus.map((text) => ({
        method,
        path,
        headers: {
          "content-type": body.type,
          ...(url.startsWith("/api/agent/")
            ? { authorization: `Bearer ${AGENT_TOKENS.of("none")}` }
            : WITH_TOKEN),
        },
        body: text,
      }));
      count += requests.length;
      await Promise.all(
        requests.map(async (request) => {
          const error = errorIn(await rig.wire.send(request));
          if (error !== null)
            errors.push(`${method} ${path} ${request.body.slice(0, 200)} → ${error}`);
        }),
      );
    }
    expect(errors).toEqual([]);
    expect(count).toBeGreaterThan(1_000);
    await rig.expectSound();
  });
});
