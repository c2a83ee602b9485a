import { HoldfastError, isObject, type Client } from "@holdfast/client";
import {
  LIMITS,
  type AgentOption,
  type CreateSessionRequest,
  type McpServers,
  type OptionValues,
  type WorkspaceKind,
} from "@holdfast/protocol";
import { firstWords } from "../api/first-words.ts";
import { parseJson, type PageStorage } from "../api/page-storage.ts";

/** The form of a new session. */
export interface Draft {
  readonly repoId: string;
  readonly provider: string;
  readonly model: string;
  readonly mode: string;
  /** Only those that are not left at the agent's default. */
  readonly options: OptionValues;
  readonly title: string;
  readonly message: string;
  /** Where agents work; empty if the configuration of the repository decides. */
  readonly workspace: WorkspaceKind | "";
  /** Where the worktree begins; empty for the current commit. */
  readonly base: string;
  /** JSON; empty if there are none. */
  readonly mcpServers: string;
  /** One path per line. */
  readonly directories: string;
}

const KEY = "holdfast.new-session";

/** Throws if the MCP servers are not JSON. The server checks everything else. */
export function toRequest(draft: Draft): CreateSessionRequest {
  const { repoId, provider, model, mode, options, title, message, workspace } = draft;
  const base = workspace === "worktree" ? draft.base.trim() : "";
  const mcpServers = parseServers(draft.mcpServers);
  const directories = linesOf(draft.directories);
  const text = message.trim();
  const name = title.trim() === "" ? firstWords(text) : title.trim();
  return {
    repoId,
    ...(provider !== "" && { provider }),
    ...(model !== "" && { model }),
    ...(mode !== "" && { mode }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(name !== "" && { title: name.slice(0, LIMITS.titleLength) }),
    ...(text !== "" && { message: text }),
    ...(workspace !== "" && { workspace }),
    ...(base !== "" && { base }),
    ...(mcpServers !== null && { mcpServers }),
    ...(directories.length > 0 && { directories }),
  };
}

/**
 * Creates a session and sends its first message. If all agents are busy, the message waits in the queue of the new
 * session, as in a session that exists.
 */
export async function createSession(
  sessions: Pick<Client["sessions"], "create" | "send">,
  request: CreateSessionRequest,
  key: string,
): Promise<string> {
  const { message, ...idle } = request;
  try {
    return (await sessions.create(request, { idempotencyKey: key })).id;
  } catch (error) {
    const isBusy = error instanceof HoldfastError && error.code === "agents_busy";
    if (!isBusy || message === undefined) throw error;
    const { id } = await sessions.create(idle, { idempotencyKey: `${key}-idle` });
    const words = typeof message === "string" ? { text: message } : message;
    await sessions.send(id, words, { idempotencyKey: `${key}-message` });
    return id;
  }
}

/** The servers alone, or in the form of other programs: `{"mcpServers": {…}}`. */
export function parseServers(text: string): McpServers | null {
  if (text.trim() === "") return null;
  const value = parseJson(text);
  const servers = isObject(value) ? (value["mcpServers"] ?? value) : null;
  if (!mayBeServers(servers)) throw new Error("The MCP servers must be a JSON object.");
  return servers;
}

/** The server checks the rest. */
function mayBeServers(value: unknown): value is McpServers {
  return isObject(value);
}

export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

export type LastChoice = Pick<Draft, "repoId" | "provider" | "model">;

/** The choice of the last new session. */
export function readLastChoice(storage: PageStorage): Partial<LastChoice> {
  const stored = parseJson(storage.get(KEY));
  if (!isObject(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).filter(([, value]) => typeof value === "string"),
  );
}

export function keepLastChoice(storage: PageStorage, { repoId, provider, model }: Draft): void {
  storage.set(KEY, JSON.stringify({ repoId, provider, model }));
}

/** The choices of an option, as a list to choose from; the empty text leaves it to the agent. */
export function choicesOf(
  option: AgentOption,
): readonly (readonly [value: string, name: string])[] {
  const { type, value, choices } = option;
  const listed =
    type === "boolean"
      ? ([
          ["true", "On"],
          ["false", "Off"],
        ] as const)
      : choices.map(({ id, name }) => [id, name] as const);
  const usual = listed.find(([id]) => id === String(value))?.[1];
  return [["", usual === undefined ? "Default" : `Default (${usual})`], ...listed];
}

/** The options with a choice of that list. */
export function withOption(
  options: OptionValues,
  { id, type }: Pick<AgentOption, "id" | "type">,
  choice: string,
): OptionValues {
  const { [id]: _, ...others } = options;
  if (choice === "") return others;
  return { ...others, [id]: type === "boolean" ? choice === "true" : choice };
}
