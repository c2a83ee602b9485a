import { existsSync } from "node:fs";

/** Values of variables for programs, by their names. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The secrets in variables that somebody set for an agent or for a tool server: every value, unless its name or its form
 * says that it is none.
 */
export function secretsOfOwn(variables: Variables): readonly string[] {
  return secretsIn(variables, (name, value) => !HARMLESS_NAME.test(name) || looksRandom(value));
}

/** The secrets in variables that are inherited: only those whose name or value looks like a secret. */
export function secretsOfInherited(variables: Variables): readonly string[] {
  return secretsIn(variables, (name, value) => isSecretName(name) || looksRandom(value));
}

/** The secrets in a value that a person gave as a secret. */
export function secretsOfAnswer(written: string): readonly string[] {
  const value = written.trim();
  return [value, ...partsOf(value)].filter(isSecretEnough);
}

/** The passwords in a URL. */
export function secretsOfUrl(url: string): readonly string[] {
  const userinfo = /^[a-z][\w+.-]*:\/\/([^/?#\s]*)@/iu.exec(url)?.[1];
  if (userinfo === undefined) return [];
  const colon = userinfo.indexOf(":");
  // A name alone can be a token.
  if (colon === -1 && !looksRandom(userinfo)) return [];
  const password = userinfo.slice(colon + 1);
  return [...new Set([password, decoded(password)])].filter(isSecretEnough);
}

/** Shorter values are parts of many words. */
const SHORTEST_SECRET = 8;
/** Lines of a private key, for example. */
const SHORTEST_LINE = 20;

function secretsIn(
  variables: Variables,
  counts: (name: string, value: string) => boolean,
): readonly string[] {
  const common = new Set(COMMON_VARIABLES.map((name) => process.env[name]));
  return Object.entries(variables).flatMap(([name, written = ""]) => {
    const value = written.trim();
    if (common.has(value) || COMMON_VARIABLES.includes(name)) return [];
    const settings = parseSettings(value);
    if (settings !== null) return secretsOfInherited(settings);
    const inUrl = secretsOfUrl(value);
    if (inUrl.length > 0) return inUrl;
    const isPlain = isPlace(value) || isNumber(value);
    const isCounted = (isSecretName(name) && !isPlace(value)) || (!isPlain && counts(name, value));
    return isCounted ? [value, ...partsOf(value)].filter(isSecretEnough) : [];
  });
}

/** What is a secret of its own: the credentials after `Bearer`, and the lines of a private key. */
function partsOf(value: string): readonly string[] {
  const credentials = /^(?:Bearer|Basic|Token|ApiKey)\s+(\S+)$/iu.exec(value)?.[1];
  const lines = value.includes("\n") ? value.split("\n").map((line) => line.trim()) : [];
  return [
    ...(credentials === undefined ? [] : [credentials]),
    ...lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith("-----")),
  ];
}

/** The texts in a variable that contains JSON, with the names of their keys; null if it does not. */
function parseSettings(value: string): Variables | null {
  if (!value.startsWith("{")) return null;
  try {
    const texts: [string, string][] = [];
    JSON.parse(value, (key, item: unknown) => {
      if (typeof item === "string") texts.push([`${texts.length} ${key}`, item]);
      return item;
    });
    return Object.fromEntries(texts);
  } catch {
    return null;
  }
}

function isSecretEnough(value: string): boolean {
  return value.length >= SHORTEST_SECRET && !COMMON_VALUES.has(value.toLowerCase());
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !SECRET_NAME_OF_PLACE.test(name);
}

const SECRET_NAME =
  /key|token|secret|passw|pwd|passphrase|credential|auth|cookie|signature|(?:^|[_-])pat(?:$|[_-])/iu;
/** Such as `GOOGLE_APPLICATION_CREDENTIALS_FILE` and `SSH_AUTH_SOCK`. */
const SECRET_NAME_OF_PLACE = /_(?:FILE|PATH|DIR|HOME|SOCK|URL|NAME|ID|METHOD|TYPE)$/iu;

const HARMLESS_NAME =
  /^(?:LC_|XDG_|NO_|DISABLE_|ENABLE_)|(?:^|_)(?:MODEL|MODE|REGION|LOCATION|PROJECT|PROVIDER|HOST|HOSTNAME|PORT|LEVEL|VERSION|TIMEOUT|ENV|ENVIRONMENT|FORMAT|THEME|EDITOR|PATH|DIR|HOME|NAME|URL|AGENT)$/iu;

/** Variables that every process has; their values are names of users, folders, languages and terminals. */
const COMMON_VARIABLES: readonly string[] = [
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "PATH",
  "PWD",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TERM",
  "COLORTERM",
  "TMPDIR",
  "TMP",
  "TEMP",
  "HOSTNAME",
  "EDITOR",
  "NODE_ENV",
];

/** Common values of settings, and passwords that are none. */
const COMMON_VALUES: ReadonlySet<string> = new Set([
  "approved",
  "automatic",
  "changeme",
  "development",
  "disabled",
  "holdfast",
  "localhost",
  "password",
  "postgres",
  "production",
  "required",
  "staging",
]);

/** A path or a list of them, or a URL without a part that looks like a secret. */
function isPlace(value: string): boolean {
  if (/^(?:~|\.{1,2})\/|^[A-Za-z]:\\/u.test(value)) return true;
  // A key can begin with a slash, but not with a folder that exists.
  const [, top] = /^(\/[^/]+)(?:\/|$)/u.exec(value) ?? [];
  if (top !== undefined) return existsSync(top);
  const isUrl = /^[a-z][\w+.-]*:\/\/[^\s@]*$/iu.test(value);
  return isUrl && !value.split(/[/?&=#:;,.]/u).some(looksRandom);
}

function isNumber(value: string): boolean {
  return /^[\d.,:+-]{1,12}$/u.test(value);
}

/** Long, with letters and digits, and with as many different characters as random ones have. */
function looksRandom(value: string): boolean {
  if (value.length < 16 || /\s/u.test(value)) return false;
  if (!/\d/u.test(value) || !/[A-Za-z]/u.test(value)) return false;
  // Words with numbers, such as names of models and dates.
  if (value.split(/[-_.:/]/u).every((word) => WORD.test(word))) return false;
  return entropyOf(value) >= RANDOM_BITS;
}

const WORD = /^(?:[a-z]*\d{0,8}|\d{1,8}[a-z]{1,2})$/iu;
/** Bits per character; hexadecimal digits have 4 at most. */
const RANDOM_BITS = 2.8;

function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => {
    const share = count / value.length;
    return bits - share * Math.log2(share);
  }, 0);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
