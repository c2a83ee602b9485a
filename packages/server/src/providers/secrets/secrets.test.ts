import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../domain/testing/cpu-time.ts";
import { repeat } from "../../domain/testing/repeat.ts";
import { NOTHING_HELD, REDACTED, type Redactor } from "./redactor.ts";
import { openSecrets } from "./secrets.ts";

const KEY = "sk-4f9Q/x+7Zz~éß\"'&k2";

function redactorOf(...secrets: readonly string[]): Redactor {
  const known = openSecrets();
  known.keep(secrets);
  return known.redactor;
}

/** Each chunk as it is shown, and what is released at the end. */
function shown(redactor: Redactor, chunks: readonly string[]): readonly string[] {
  let held = NOTHING_HELD;
  const texts = chunks.map((chunk) => {
    const next = redactor.next(held, chunk);
    held = next.held;
    return next.text;
  });
  return [...texts, redactor.release(held).text];
}

/** Whether a text is as expected. In streamed text, three characters may be shown before a secret is recognised. */
function isSame(text: string, expected: string): boolean {
  let at = 0;
  return expected.split(REDACTED).every((part, count) => {
    if (count > 0) {
      const start = text.indexOf(REDACTED, at);
      if (start === -1 || start - at > 3) return false;
      at = start + REDACTED.length;
    }
    const isNext = text.startsWith(part, at);
    at += part.length;
    return isNext;
  });
}

describe("a secret is removed from a text", () => {
  const bytes = Buffer.from(KEY);
  const json = JSON.stringify(KEY);
  it.each([
    ["plain", KEY],
    ["in JSON", json.slice(1, -1)],
    ["in JSON in JSON", JSON.stringify(json).slice(3, -3)],
    ["in a URL", encodeURIComponent(KEY)],
    [
      "in a URL, in lower case",
      encodeURIComponent(KEY).replaceAll(/%../gu, (it) => it.toLowerCase()),
    ],
    ["in a form", new URLSearchParams({ a: KEY }).toString().slice(2)],
    ["with all characters percent-encoded", bytes.toString("hex").replaceAll(/../gu, "%$&")],
    ["in hexadecimal digits", bytes.toString("hex")],
    ["in upper case digits", bytes.toString("hex").toUpperCase()],
    ["in Base64", bytes.toString("base64").replace(/.?=*$/u, "")],
    ["in HTML", KEY.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")],
    ["with NULs", Array.from(KEY).join("\0")],
  ])("%s", (_name, form) => {
    expect(redactorOf(KEY).text(`It is ${form}, ${form}.`)).toMatch(
      /^It is \[redacted\].?, \[redacted\].?\.$/u,
    );
  });

  it("in Base64 after any number of bytes, also url-safe", () => {
    const redactor = redactorOf(KEY);
    for (const before of ["", "x", "xx", "user:"]) {
      const all = Buffer.from(`${before}${KEY} and more`);
      for (const text of [all.toString("base64"), all.toString("base64url")]) {
        const removed = text.length - redactor.text(text).length + REDACTED.length;
        // The characters at its ends also depend on the neighbours, and are left.
        expect(removed).toBeGreaterThanOrEqual(Math.floor((bytes.length * 8) / 6) - 2);
      }
    }
  });

  it("if it is a part of another one, overlaps another one, or is long", () => {
    expect(redactorOf("abcdefgh", "abcdefghij").text("abcdefghij abcdefgh")).toBe(
      `${REDACTED} ${REDACTED}`,
    );
    expect(redactorOf("abcdefgh", "efghijkl").text("-abcdefghijkl-")).toBe(`-${REDACTED}-`);
    const long = Array.from({ length: 900 }, (_each, at) =>
      String.fromCharCode(33 + ((at * 7) % 90)),
    );
    expect(redactorOf(long.join("")).text(`<${long.join("")}>`)).toBe(`<${REDACTED}>`);
  });

  it("unless it is too short", () => {
    expect(redactorOf("short-1").text("short-1")).toBe("short-1");
  });

  it("in keys, numbers and nested values of JSON, and the rest stays the same object", () => {
    const redactor = redactorOf("1234567890123", "sk-secret-1");
    const clean = { list: [1, "a", null, true], nested: { text: "b" } };
    expect(redactor.json(clean)).toBe(clean);
    const value = { a: clean, "x-sk-secret-1": [1234567890123, { b: "sk-secret-1!" }] };
    const without = redactor.json(value);
    expect(without).toEqual({
      a: clean,
      [`x-${REDACTED}`]: [REDACTED, { b: `${REDACTED}!` }],
    });
    expect(without.a).toBe(clean);
  });

  it("at the bottom of deep JSON in as many steps as it has levels", () => {
    let deep: unknown = "sk-secret-1";
    for (let depth = 0; depth < 60; depth += 1) deep = { a: deep };
    expect(JSON.stringify(redactorOf("sk-secret-1").json(deep))).not.toContain("secret");
  });

  it("in a line of JSON whose letters are escaped", () => {
    const redactor = redactorOf("sk-secret-1");
    expect(redactor.line(String.raw`{"a":"\u0073k-\u0073ecret-1"}`)).toBe(`{"a":"${REDACTED}"}`);
    const odd = 'two\nlines "of" \\ Grüße 🔑';
    const codes = Array.from({ length: odd.length }, (_each, at) =>
      odd.charCodeAt(at).toString(16).padStart(4, "0"),
    );
    const escaped = codes.map((code, at) =>
      at % 3 === 0 ? `\\u${code.toUpperCase()}` : `\\u${code}`,
    );
    expect(redactorOf(odd).line(`{"a":"${escaped.join("")}"}`)).toBe(`{"a":"${REDACTED}"}`);
    const other = String.raw`{"a":"\u0073ome text"}`;
    expect(redactor.line(other)).toBe(other);
  });
});

describe("a secret in streamed text", () => {
  it("is removed as soon as it is known", () => {
    const secrets = openSecrets();
    const chunk = "It is sk-new-secret-1.";
    expect(secrets.redactor.next(NOTHING_HELD, chunk).text).toBe(chunk);
    secrets.note("sk-new-secret-1");
    expect(secrets.redactor.next(NOTHING_HELD, chunk).text).toBe(`It is ${REDACTED}.`);
  });

  const forms = [KEY, Buffer.from(`u:${KEY}`).toString("base64"), encodeURIComponent(KEY)];

  it("is removed wherever the chunks are cut, and the rest is complete", () => {
    const redactor = redactorOf(KEY, "sk-other-key-1");
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...forms), fc.string({ unit: "binary" }))),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }),
        (texts, lengths) => {
          const whole = texts.join(" ").replaceAll("\0", "");
          const chunks: string[] = [];
          for (let at = 0, count = 0; at < whole.length; count += 1) {
            const length = lengths[count % lengths.length] ?? 1;
            chunks.push(whole.slice(at, at + length));
            at += length;
          }
          expect(isSame(shown(redactor, chunks).join(""), redactor.text(whole))).toBe(true);
        },
      ),
      { numRuns: repeat({ short: 200, long: 20_000 }) },
    );
  });

  it("is held back no longer than a secret can be, and other text is not held back", () => {
    const redactor = redactorOf(KEY);
    expect(shown(redactor, ["Hello s", "k", " there"])).toEqual(["Hello s", "k", " there", ""]);
    expect(shown(redactor, ["It is sk-4f9Q", "uite other"])).toEqual([
      "It is ",
      "sk-4f9Quite other",
      "",
    ]);
    let held = NOTHING_HELD;
    for (let count = 0; count < 1000; count += 1) {
      held = redactor.next(held, KEY.slice(0, 7)).held;
      expect(held.raw.length).toBeLessThan(redactor.longest);
    }
  });

  it("that pauses is shown in part, less than a quarter, and the rest is removed when it comes", () => {
    const redactor = redactorOf(KEY);
    const first = redactor.next(NOTHING_HELD, `a ${KEY.slice(0, 5)}`);
    const pause = redactor.release(first.held);
    expect(first.text + pause.text).toBe(`a ${KEY.slice(0, 5)}`);
    const second = redactor.next(pause.held, KEY.slice(5, 12));
    const longer = redactor.release(second.held);
    expect(second.text + longer.text).toBe(REDACTED);
    const third = redactor.next(longer.held, `${KEY.slice(12)} b`);
    expect(third.text).toBe(" b");
  });
});

it("redaction costs less than parsing a message, if it finds nothing", () => {
  const secrets = Array.from({ length: 40 }, (_each, at) => `sk-${at}-${"x7Q".repeat(12)}`);
  const redactor = redactorOf(...secrets);
  const text = "Some words of an answer, as they come from an agent. ";
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  const line = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { update } });
  let held = NOTHING_HELD;
  const redact = (at: number): void => {
    redactor.line(line);
    held = redactor.next(held, at % 2 === 0 ? text : `${text} `).held;
  };
  const parse = (): unknown => JSON.parse(line);
  const cost = (act: (at: number) => unknown): number =>
    Math.min(
      ...Array.from({ length: 5 }, () =>
        cpuMs(() => {
          for (let at = 0; at < 10_000; at += 1) act(at);
        }),
      ),
    );
  cost(redact);
  expect(cost(redact)).toBeLessThan(cost(parse));
});

describe("tokens of the API", () => {
  const token = `hf_${"aZ09_-".repeat(7)}x`;

  it("are removed even if they are unknown, also from streamed text", () => {
    const redactor = redactorOf();
    expect(token).toHaveLength(46);
    expect(redactor.text(`Bearer ${token}.`)).toBe(`Bearer ${REDACTED}.`);
    for (let at = 1; at < token.length; at += 1) {
      const chunks = [`<${token.slice(0, at)}`, `${token.slice(at)}>`];
      expect(shown(redactor, chunks).join("").slice(-11)).toBe(`${REDACTED}>`);
    }
  });

  it("are forgotten when many newer ones are known, and configured secrets are not", () => {
    const secrets = openSecrets();
    secrets.keep(["configured-1"]);
    secrets.note("oldest-secret");
    for (let count = 0; count < 1_200; count += 1) secrets.note(`noted-secret-${count}`);
    expect(secrets.redactor.text("oldest-secret configured-1 noted-secret-1199")).toBe(
      `oldest-secret ${REDACTED} ${REDACTED}`,
    );
  });
});
