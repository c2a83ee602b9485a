import { isUtf8 } from "node:buffer";
import { toolCallOf, type Message } from "../../domain/message.ts";
import { keepNewest } from "../keep-newest.ts";
import { runStatement } from "../prepared.ts";
import type {
  MessageFormat,
  MessageJson,
  MessageJsonQuery,
  MessageValue,
} from "../ports/transcript-store.ts";
import { firstOpen, readMessages, readNewest } from "./read-messages.ts";
import type { Source } from "./source.ts";

/**
 * Messages as JSON that a reader passes on. SQLite joins the stored texts to the bytes of the whole page, so that no message
 * is parsed, mapped and encoded. A page with a row that is unusual in any way is read message by message.
 */
export async function readMessageJson(
  source: Source,
  query: MessageJsonQuery,
): Promise<MessageJson> {
  return (await readJoined(source, query)) ?? encode(await readOneByOne(source, query), query);
}

async function readOneByOne(source: Source, query: MessageJsonQuery): Promise<readonly Message[]> {
  if (query.part === "last") return (await readNewest(source, query)).messages;
  const { before = Infinity } = query;
  return (await readMessages(source, query)).filter(({ seq }) => seq < before);
}

function encode(messages: readonly Message[], { format }: MessageJsonQuery): MessageJson {
  const objects = messages.map((message) => format.of(message));
  // Encoding all at once takes less time.
  const text =
    format.separator === ","
      ? JSON.stringify(objects).slice(1, -1)
      : objects.map((object) => JSON.stringify(object)).join(format.separator);
  return {
    json: Buffer.from(text),
    count: messages.length,
    first: messages[0]?.seq ?? null,
    last: messages.at(-1)?.seq ?? null,
    firstOpen: messages.find(({ complete }) => !complete)?.seq ?? null,
    calls: messages.flatMap((message) => toolCallOf(message) ?? []),
  };
}

interface Joined extends Pick<MessageJson, "count" | "first" | "last"> {
  /** Null without usual rows. */
  readonly json: Uint8Array | null;
  readonly usual: number;
  readonly calls: string;
}

/** Null if a row is unusual, or if the database cannot do this. */
async function readJoined(source: Source, query: MessageJsonQuery): Promise<MessageJson | null> {
  if (!source.dialect.readsRowsAsText || !(await isJoinable(source, query))) return null;
  const { sessionId, part, limit, before = Number.MAX_SAFE_INTEGER, format } = query;
  const after = query.part === "first" ? query.after : -1;
  const parameters = [sessionId, after, before, limit];
  const [page] = await runStatement<Joined>(source, statementFor(part, format), parameters);
  if (page === undefined || page.usual < page.count) return null;
  const { json, count, first, last } = page;
  if (json !== null && !isUtf8(json)) return null;
  // Another program may have stored content on several lines.
  if (format.separator === "\n" && linesIn(json) > count) return null;
  const calls: MessageJson["calls"] = JSON.parse(page.calls);
  return { json: json ?? new Uint8Array(), count, first, last, firstOpen: null, calls };
}

function linesIn(text: Uint8Array | null): number {
  let lines = 0;
  for (let at = 0; text !== null && at !== -1; lines += 1) {
    const end = text.indexOf(NEWLINE, at);
    at = end === -1 ? -1 : end + 1;
  }
  return lines;
}

const NEWLINE = 0x0a;

/** All messages that can still change are among the last ones. */
async function isJoinable(source: Source, query: MessageJsonQuery): Promise<boolean> {
  if (query.part === "first") return query.since === undefined;
  return query.before !== undefined || (await firstOpen(source, query)).length === 0;
}

const statements = keepNewest<MessageFormat, Record<MessageJsonQuery["part"], string>>(10);

function statementFor(part: MessageJsonQuery["part"], format: MessageFormat): string {
  const cached = statements.get(format);
  if (cached !== undefined) return cached[part];
  const texts = { first: statementText("first", format), last: statementText("last", format) };
  statements.set(format, texts);
  return texts[part];
}

/** The subquery with a limit is read in its order. To ask for the order again would sort all texts. */
function statementText(part: MessageJsonQuery["part"], format: MessageFormat): string {
  const rows = `from "AgentMessage" where "sessionId" = ? and "seq" > ? and "seq" < ? order by "seq"`;
  const page =
    part === "first"
      ? `${rows} limit ?`
      : `from (select * ${rows} desc limit ?) order by "seq" limit -1`;
  const separator = `char(${format.separator.charCodeAt(0)})`;
  return `select cast(group_concat("json", ${separator}) as blob) as "json", count("json") as "usual", count(*) as "count",
      min("seq") as "first", max("seq") as "last",
      json_group_array(json("call")) filter (where "call" is not null) as "calls"
    from (select "seq", case when ${IS_USUAL} then ${objectOf(format)} end as "json", ${CALL} as "call" ${page})`;
}

/** One call of `concat` copies each part once; `||` copies the content again for each part after it. */
function objectOf({ properties }: MessageFormat): string {
  const members = Object.entries(properties).map(
    ([name, value], index) =>
      `'${index === 0 ? "{" : ","}${JSON.stringify(name)}:', ${VALUES[value]}`,
  );
  return `concat(${members.join(", ")}, '}')`;
}

/** The year 10000. Later times have other texts. */
const LAST_TIME = 253_402_300_799_999;

/**
 * Whether the stored text of a row's content is what clients get. It begins with its type, and that of a complete text or
 * thought ends with `partial`: anything else is read in the other way, which also reports what cannot be read.
 */
const IS_USUAL = `"complete" = 1 and "role" in ('user', 'agent', 'system') and "timestamp" between 0 and ${LAST_TIME}
  and iif("content" glob '{"type":"t[eh]*', "content" glob '*,"partial":false}', "content" glob '{"type":"*')
  and json_valid("content")`;

/** A page with invalid JSON is not used, but must not fail. */
const CALL = `case when "content" glob '{"type":"tool"*' and "runId" is not null and json_valid("content")
    and json_type("content", '$.callId') = 'text'
  then json_object('runId', "runId", 'callId', "content" ->> '$.callId') end`;

/** As JSON, for a usual row: arguments of `concat`. */
const VALUES: Readonly<Record<MessageValue, string>> = {
  message: `'"message"'`,
  id: `json_quote("id")`,
  sessionId: `json_quote("sessionId")`,
  runId: `json_quote("runId")`,
  seq: `"seq"`,
  role: `json_quote("role")`,
  content: `"content"`,
  complete: `'true'`,
  time: `'"', replace(datetime("timestamp" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T'), 'Z"'`,
};
