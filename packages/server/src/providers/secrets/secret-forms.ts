/** A longer secret is cut into pieces, so that a form has a bounded length. */
const MAX_PIECE = 256;

/** All texts in which a secret is recognised: as it is, escaped and encoded. */
export function formsOf(secret: string): readonly string[] {
  return [...new Set(piecesOf(secret).flatMap((piece) => [...escaped(piece), ...encoded(piece)]))];
}

function piecesOf(secret: string): readonly string[] {
  const count = Math.ceil(secret.length / MAX_PIECE);
  const length = Math.ceil(secret.length / count);
  return Array.from({ length: count }, (_piece, at) =>
    secret.slice(at * length, (at + 1) * length),
  );
}

function escaped(secret: string): readonly string[] {
  const json = inJson(secret);
  return [
    secret,
    json,
    // JSON inside JSON, for example the input of a tool quoted in an error.
    inJson(json),
    json.replaceAll("/", String.raw`\/`),
    // Of programs that write only ASCII, and of those that escape everything.
    ...[lowerEscape, upperEscape].flatMap((escape) => [
      eachUnit(json, (unit, code) => (code < 0x80 ? unit : escape(code))),
      eachUnit(secret, (_unit, code) => escape(code)),
    ]),
    secret.replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? character),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function encoded(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const uri = encodeURIComponent(secret.toWellFormed());
  const uris = [
    uri,
    uri.replaceAll(/[!'()*]/gu, percent),
    uri.replaceAll("%20", "+"),
    new URLSearchParams({ "": secret }).toString().slice(1),
    eachByte(hex, (byte) => `%${byte}`),
  ];
  return [
    ...uris,
    ...uris.map(lowerCodes),
    eachByte(hex.toUpperCase(), (byte) => `%${byte}`),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((before) => {
      const core = base64Core(bytes, before);
      return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
    }),
  ];
}

/**
 * The characters that Base64 always has for these bytes after `before` other bytes (modulo 3). Characters that also
 * depend on the neighbours are left out.
 */
function base64Core(bytes: Buffer, before: number): string {
  const all = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  return all.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function lowerCodes(uri: string): string {
  return uri.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase());
}

function eachByte(hex: string, write: (byte: string) => string): string {
  return hex.replaceAll(/../gu, write);
}

function eachUnit(text: string, write: (unit: string, code: number) => string): string {
  return Array.from({ length: text.length }, (_unit, at) =>
    write(text.charAt(at), text.charCodeAt(at)),
  ).join("");
}

function lowerEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

function upperEscape(code: number): string {
  return `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
