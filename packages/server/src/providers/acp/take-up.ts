import { defined } from "../../domain/defined.ts";
import type { JsonObject } from "../../domain/json.ts";
import { openDeadProcess } from "../host/dead-process.ts";
import type { AgentHistory } from "../host/read-agent-log.ts";
import type { HostedProcess } from "../host/hosted-process.ts";
import { openJournal } from "../journal.ts";
import type { TakeUpAgent } from "../provider.ts";
import { secretsOfAnswer, secretsOfOwn } from "../secrets/secret-values.ts";
import type { LoginStatus } from "../login.ts";
import { endControlGroup } from "../containment/control-group.ts";
import { AcpAgent, type EarlierPrompt } from "./acp-agent.ts";
import { AcpLink } from "./acp-link.ts";
import { ACP_TIMES } from "./acp-times.ts";
import { isAgentNote, noteOf, type AgentNote } from "./agent-note.ts";
import { toolServersOf, type OpenOptions } from "./launch-agent.ts";
import type { SweepResult } from "./process/process-sweep.ts";
import { sweepAfterAgent } from "./process/sweep-after-agent.ts";
import { stopAgent } from "./process/stop-agent.ts";
import { createAgentTranslator } from "./translate/subagents.ts";
import { readEarlierTraffic } from "./wire/earlier-traffic.ts";

export interface TakenUp {
  readonly agent: AcpAgent;
  readonly link: AcpLink;
  readonly note: AgentNote;
}

/** The note of the last prompt that the agent got; null if it got none since the checkpoint. */
export function openPromptOf({ note, input }: AgentHistory): JsonObject | null {
  const { requests } = readEarlierTraffic(input, { offset: 0, lastId: 0 });
  const isGiven = requests.some(({ method }) => method === "session/prompt");
  return isGiven && isAgentNote(note) ? note.prompt : null;
}

/** The session of the agent. A spare agent did not have it when it was started. */
export function sessionOf({ note, head }: AgentHistory): string {
  return (isAgentNote(note) ? note.ownSessionId : undefined) ?? head.about.sessionId;
}

/** Goes on with an agent that an earlier server has started. Null if that is not possible: then it is ended. */
export async function takeUp(
  options: OpenOptions,
  request: TakeUpAgent,
  onLoginStatus: (status: LoginStatus) => void,
): Promise<TakenUp | null> {
  const { host, definition } = options;
  const found = host?.found.find(({ id }) => id === request.agent);
  if (host === undefined || found === undefined) return null;
  const process = found.isAlive ? await host.attach(found) : openDeadProcess(found, host);
  const { marker } = found.history.head.about;
  const sweep = sweepAfterAgent({
    marker,
    hosted: () => process.host,
    endSurroundings: () => endControlGroup(marker),
    onLeftovers: options.onLeftovers,
  });
  const { history } = process.host;
  const note = history?.note;
  const isOurs = history?.head.about.provider === definition.name && definition.protocol === 1;
  if (history === null || !isOurs || !isAgentNote(note)) {
    await end(options, process, sweep);
    return null;
  }
  request.onProcess?.(process);
  for (const { env } of await toolServersOf(options, request.sessionId, marker))
    for (const secret of secretsOfOwn(env)) options.secrets.note(secret);
  const earlier = readEarlierTraffic(history.input, {
    offset: history.offset,
    lastId: note.lastId,
  });
  const { redactor } = options.secrets;
  const { journalFolder: folder, clock = Date.now } = options;
  const { sessionId, onReport, stored } = request;
  const journal = folder === null ? null : openJournal({ folder, sessionId, redactor, clock });
  const link = new AcpLink({
    title: definition.title,
    protocol: 1,
    process,
    translator: createAgentTranslator(redactor, options.outputBytes, note.usage),
    journal,
    redactor,
    times: { ...ACP_TIMES, ...options.times },
    late: options.late,
    onSecret: (answer) => {
      process.host.keepNothing();
      secretsOfAnswer(answer).forEach(options.secrets.note);
    },
    onReport,
    onLoginStatus,
    hosted: { agent: found.id, earlier, stored },
  });
  link.about = note.about;
  link.loginMethods = note.loginMethods;
  link.reportsChanges = true;
  link.route.follow(note.session.sessionId);
  const reply = link.peer.adopt(({ method }) => method === "session/prompt");
  const prompt: EarlierPrompt | null =
    reply === null
      ? null
      : { note: note.prompt, reply, isCancelled: earlier.notified.has("session/cancel") };
  const agent = new AcpAgent({
    definition,
    link,
    session: note.session,
    sweep,
    closeJournal: async () => journal?.close(),
    hosted: process.host,
    keep: (next) =>
      process.host.checkpoint({
        offset: link.offset,
        note: noteOf(link, note.session, {
          prompt: next,
          ...defined({ ownSessionId: note.ownSessionId }),
        }),
      }),
    earlier: prompt,
  });
  return { agent, link, note };
}

async function end(
  { times }: OpenOptions,
  process: HostedProcess,
  sweep: () => Promise<SweepResult>,
): Promise<void> {
  process.stdout.resume();
  await stopAgent({
    process,
    cancel: null,
    close: null,
    sweep,
    times: { ...ACP_TIMES, ...times },
    urgency: AbortSignal.abort(),
  });
  process.host.forget();
}
