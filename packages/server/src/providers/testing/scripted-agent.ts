/**
 * An agent over real stdio that follows a script, including actions that no agent should take.
 *
 * Run it as `node scripted-agent.ts`; `scriptedDefinition()` in scripted-provider.ts configures a provider with it.
 * The steps of a prompt are defined in script.ts (`script(say("hi"), exit({ code: 3 }))`, or as text `@say hi`), its
 * options in scripted-options.ts (the variable `SCRIPTED_AGENT`, JSON). It needs only Node, and stores its sessions in
 * a folder, so that a later process can load or resume them.
 */
import { randomUUID } from "node:crypto";
import { readScript, type Step } from "./script.ts";
import { giveAway, knownSecrets } from "./scripted-leak.ts";
import { loginAtTerminal, openLogin } from "./scripted-login.ts";
import type { McpServerGiven } from "./scripted-mcp.ts";
import { openMemory } from "./scripted-memory.ts";
import { SCRIPTED_VARIABLE, type ScriptedOptions } from "./scripted-options.ts";
import { createSettings } from "./scripted-settings.ts";
import { speakSecondVersion } from "./scripted-second.ts";
import { steer, steeringMeta } from "./scripted-steering.ts";
import { chunk, performSteps, updateOf, type Ending, type Stage } from "./scripted-steps.ts";
import { openWire, type Incoming } from "./scripted-wire.ts";

const written = JSON.parse(process.env[SCRIPTED_VARIABLE] ?? "{}") as ScriptedOptions;
// Steps that leak do so one secret at a time, when they are performed.
const { at, ...given } = written;
const options: ScriptedOptions = {
  ...giveAway(given, knownSecrets()),
  ...(at === undefined ? {} : { at }),
};
if (process.argv.includes("--login")) loginAtTerminal(options.auth);
const spoken = openWire(options.log ?? null);
const { secondVersion } = options;
const wire = secondVersion === undefined ? spoken : speakSecondVersion(spoken, secondVersion);
const memory = openMemory(options.folder ?? null);
const login = openLogin(options.auth, wire);
const ignores = new Set<string>();
const settings = createSettings(options);
let mcpServers: readonly McpServerGiven[] = [];
let working: AbortController | null = null;

process.on("SIGTERM", () => {
  wire.note("SIGTERM");
  if (!ignores.has("sigterm")) process.exit(143);
});
await perform(options.at?.start, "");
wire.read(onMessage, () => {
  wire.note("end of stdin");
  if (!ignores.has("eof")) process.exit(0);
  setInterval(() => {}, 1000);
});

function onMessage(message: Incoming): void {
  void handle(message).catch((error: unknown) => {
    process.stderr.write(`scripted agent: ${String(error)}\n`);
    process.exit(70);
  });
}

async function handle({ id, method, params = {} }: Incoming): Promise<void> {
  if ("mcpServers" in params) mcpServers = params["mcpServers"] as readonly McpServerGiven[];
  switch (method) {
    case "initialize":
      await perform(options.at?.initialize, "");
      wire.send({ id, result: introduction() });
      login.tellStatus();
      await perform(options.at?.initialized, "");
      return;
    case "authenticate":
      return wire.send(
        (await login.logIn(params["methodId"], id))
          ? { id, result: {} }
          : { id, error: { code: -32000, message: "login failed" } },
      );
    case "logout":
      login.logOut();
      return wire.send({ id, result: {} });
    case "session/new":
      return openSession(id, options.sessionId ?? randomUUID());
    case "session/load":
      return takeUp(id, String(params["sessionId"]), options.load ?? "works", true);
    case "session/resume":
      return takeUp(id, String(params["sessionId"]), options.resume ?? "works", false);
    case "session/fork":
      return forkSession(id, String(params["sessionId"]));
    case "session/delete":
      return memory.forget(String(params["sessionId"]))
        ? wire.send({ id, result: {} })
        : refuse(id, -32002, "no such session");
    case "session/prompt":
      return prompt(id, String(params["sessionId"]), params["prompt"]);
    case "session/cancel":
      if (ignores.has("cancel")) return;
      await perform(options.at?.cancel, String(params["sessionId"]));
      return working?.abort();
    case "session/close":
      await perform(options.at?.close, String(params["sessionId"]));
      return wire.send({ id, result: {} });
    case "_session/steering":
      return steer({ wire, id, params, isWorking: working !== null, options, memory });
    case "session/set_mode":
      return set(id, "mode", params["modeId"]);
    case "session/set_model":
      return set(id, "model", params["modelId"]);
    case "session/set_config_option":
      return set(id, String(params["configId"]), params["value"]);
    default:
      if (id === undefined || method === undefined) return;
      return wire.send({ id, error: { code: -32601, message: `no such method: ${method}` } });
  }
}

function introduction(): object {
  const { load, resume, close, image, embeddedContext, ...more } = options.capabilities ?? {};
  const { mcpHttp, mcpSse, additionalDirectories } = options.capabilities ?? {};
  return {
    protocolVersion: options.protocolVersion ?? 1,
    agentInfo: { name: "scripted", title: "Scripted agent", version: "1.0.0" },
    ...steeringMeta(options),
    authMethods: options.auth?.methods ?? [],
    agentCapabilities: {
      ...login.capabilities,
      loadSession: load ?? false,
      promptCapabilities: { image: image ?? false, embeddedContext: embeddedContext ?? false },
      mcpCapabilities: { http: mcpHttp ?? false, sse: mcpSse ?? false },
      sessionCapabilities: {
        ...(additionalDirectories === true ? { additionalDirectories: {} } : {}),
        ...(resume === true ? { resume: {} } : {}),
        ...(close === true ? { close: {} } : {}),
        ...(more.fork === true ? { fork: {} } : {}),
        ...(more.delete === true ? { delete: {} } : {}),
      },
    },
  };
}

async function openSession(id: unknown, sessionId: string): Promise<void> {
  if (!login.isLoggedIn && !login.isAskedAtPrompt)
    return refuse(id, -32000, "Authentication required");
  memory.remember(sessionId, []);
  const ending = await perform(options.at?.session, sessionId);
  if (ending !== null && "error" in ending) return wire.send({ id, ...ending });
  wire.send({ id, result: { sessionId, ...settings.offers() } });
  await perform(options.at?.sessionReady, sessionId);
}

async function takeUp(
  id: unknown,
  sessionId: string,
  how: string,
  replays: boolean,
): Promise<void> {
  if (how === "hangs") return;
  if (how === "exits") process.exit(3);
  if (!login.isLoggedIn && !login.isAskedAtPrompt)
    return refuse(id, -32000, "Authentication required");
  const said = how === "works" ? memory.recall(sessionId) : null;
  if (said === null) return refuse(id, -32002, "no such session");
  await perform(options.at?.session, sessionId);
  const replay = !replays
    ? []
    : said.map(({ role, text }) =>
        updateOf(
          sessionId,
          chunk(role === "user" ? "user_message_chunk" : "agent_message_chunk", text),
        ),
      );
  const late = options.lateReplayMs === undefined ? [] : replay.splice(-1);
  for (const update of replay) wire.send(update);
  wire.send({ id, result: settings.offers() });
  for (const update of late) setTimeout(() => wire.send(update), options.lateReplayMs);
  await perform(options.at?.sessionReady, sessionId);
}

/** Like the real ones, it repeats the history as updates of the new session before it replies. */
async function forkSession(id: unknown, origin: string): Promise<void> {
  const how = options.fork ?? "works";
  if (how === "hangs") return;
  if (how === "exits") process.exit(3);
  const said = how === "error" ? null : memory.recall(origin);
  if (said === null) return refuse(id, -32603, "cannot fork");
  const sessionId = how === "same" ? origin : randomUUID();
  if (how !== "same") memory.remember(sessionId, said);
  for (const { text } of said)
    wire.send(updateOf(sessionId, chunk("agent_message_chunk", `again: ${text}`)));
  await perform(options.at?.session, sessionId);
  wire.send({ id, result: { sessionId, ...settings.offers() } });
}

function set(id: unknown, what: string, value: unknown): void {
  if (!settings.set(what, value)) return refuse(id, -32602, `no such ${what}: ${String(value)}`);
  wire.send({ id, result: settings.offers() });
}

async function prompt(id: unknown, sessionId: string, blocks: unknown): Promise<void> {
  if (working !== null) return refuse(id, -32600, "a prompt is at work already");
  if (!login.isLoggedIn) return refuse(id, -32000, "Authentication required");
  const abort = new AbortController();
  working = abort;
  const { steps, rest, said } = readPrompt(blocks);
  const sooner = Promise.withResolvers<Ending>();
  const stage = { ...stageOf(sessionId, rest, abort.signal), endNow: sooner.resolve };
  memory.remember(sessionId, [{ role: "user", text: said }]);
  const again = options.goesOn === true && GO_ON.test(said) ? stepsAgain(stage.heard) : null;
  const otherwise = again ?? options.otherwise ?? [{ step: "echo" } as const];
  const planned = steps.length > 0 ? steps : otherwise;
  const ending = await Promise.race([endingOf(stage, planned), sooner.promise]);
  memory.remember(sessionId, [{ role: "agent", text: stage.spoken.join("") }]);
  working = null;
  wire.send({ id, ...withoutTwice(ending) });
  if ("result" in ending && ending.twice === true)
    wire.send({ id, result: { stopReason: "refusal" } });
  for (const later of stage.afterwards) later();
  await perform(options.at?.prompted, sessionId);
}

const GO_ON = /^Go on with the work\.$/mu;

/** The steps of the latest prompt that had any; null if there was none. */
function stepsAgain(heard: readonly string[]): readonly Step[] | null {
  const order = heard.findLast((text) => readScript(text).steps.length > 0);
  if (order === undefined) return null;
  if (/\bSTUBBORN\b/u.test(order))
    return [{ step: "say", text: "The user does not want to proceed with this, so I stop." }];
  return readScript(order).steps;
}

function withoutTwice(ending: Ending): object {
  return "result" in ending ? { result: ending.result } : ending;
}

async function endingOf(stage: Stage, steps: readonly Step[]): Promise<Ending> {
  try {
    const ending = await performSteps(stage, steps);
    if (stage.signal.aborted) return { result: { stopReason: "cancelled" } };
    return ending ?? { result: { stopReason: "end_turn" } };
  } catch (error) {
    if (!stage.signal.aborted) throw error;
    return { result: { stopReason: "cancelled" } };
  }
}

/** Reads steps only from the last text block, and the text from all blocks. */
function readPrompt(blocks: unknown): {
  readonly steps: readonly Step[];
  readonly rest: string;
  readonly said: string;
} {
  const texts = (blocks as readonly { type: string; text?: string }[]).flatMap(({ type, text }) =>
    type === "text" && text !== undefined ? [text] : [`(${type})`],
  );
  const { steps } = readScript(texts.at(-1) ?? "");
  const said = texts.join("\n");
  return { steps, rest: steps.length > 0 ? readScript(said).rest : said, said };
}

async function perform(
  steps: readonly Step[] | undefined,
  sessionId: string,
): Promise<Ending | null> {
  return performSteps(stageOf(sessionId, "", new AbortController().signal), steps ?? []);
}

function stageOf(sessionId: string, text: string, signal: AbortSignal): Stage {
  return {
    wire,
    memory,
    sessionId,
    prompt: text,
    heard: (memory.recall(sessionId) ?? []).flatMap((said) =>
      said.role === "user" ? [said.text] : [],
    ),
    signal,
    mcpServers,
    settings,
    ignores,
    afterwards: [],
    endNow: () => {},
    spoken: [],
  };
}

function refuse(id: unknown, code: number, message: string): void {
  wire.send({ id, error: { code, message } });
}
