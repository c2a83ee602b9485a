import { readFileSync } from "node:fs";

/** The variable with a file of secrets, a JSON list, that the scripted agent knows and can give away. */
export const LEAK_VARIABLE = "SCRIPTED_SECRETS";

/** Read anew each time, because some secrets exist only after the agent has started. */
export function knownSecrets(): readonly string[] {
  const file = process.env[LEAK_VARIABLE];
  return file === undefined ? [] : (JSON.parse(readFileSync(file, "utf8")) as string[]);
}

/**
 * Replaces `{{form}}` in the texts of a value by the secrets in this form, separated by spaces, and `{{form#2/3}}` by
 * the second of three pieces of it.
 */
export function giveAway<Value>(value: Value, secrets: readonly string[]): Value {
  const text = JSON.stringify(value).replaceAll(
    /\{\{(\w+)(?:#(\d+)\/(\d+))?\}\}/gu,
    (_all, form: string, piece: string | undefined, of: string | undefined) => {
      const encode = FORMS[form];
      if (encode === undefined) throw new Error(`no such form of a secret: ${form}`);
      const encoded = secrets.map((secret) =>
        pieceOf(encode(secret), Number(piece ?? 1), Number(of ?? 1)),
      );
      return JSON.stringify(encoded.join(" ")).slice(1, -1);
    },
  );
  return JSON.parse(text) as Value;
}

function pieceOf(text: string, piece: number, of: number): string {
  const at = (number: number): number => Math.floor((text.length * number) / of);
  return text.slice(at(piece - 1), at(piece));
}

const inBase64 = (secret: string, before: number): string =>
  Buffer.from(`${"x".repeat(before)}${secret}:y`).toString("base64");
const inHex = (secret: string): string => Buffer.from(secret).toString("hex");
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  nul: (secret) => Array.from(secret).join("\0"),
  base64: (secret) => inBase64(secret, 0),
  base64after1: (secret) => inBase64(secret, 1),
  base64after2: (secret) => inBase64(secret, 2),
  base64url: (secret) => Buffer.from(secret).toString("base64url"),
  basic: (secret) => `Basic ${Buffer.from(`user:${secret}`).toString("base64")}`,
  hex: inHex,
  HEX: (secret) => inHex(secret).toUpperCase(),
  url: encodeURIComponent,
  urlLower: (secret) =>
    encodeURIComponent(secret).replaceAll(/%../gu, (code) => code.toLowerCase()),
  query: (secret) => new URLSearchParams({ key: secret }).toString(),
  percent: (secret) => inHex(secret).replaceAll(/../gu, (code) => `%${code}`),
  json: inJson,
  jsonTwice: (secret) => inJson(inJson(secret)),
  escaped: (secret) =>
    Array.from({ length: secret.length }, (_each, at) => {
      const code = secret.charCodeAt(at).toString(16).padStart(4, "0");
      return `\\u${code}`;
    }).join(""),
};
