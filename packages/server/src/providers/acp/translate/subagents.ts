import { cleanText } from "../../../domain/clean-text.ts";
import type { MessageContent } from "../../../domain/message.ts";
import type { AgentReport } from "../../provider.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import { looseLabel, looseList, looseObject, type Loose } from "../wire/loose.ts";
import { shortenText } from "../wire/shorten.ts";
import { textOfBlock } from "./content-block.ts";
import { toolCallOf } from "./permission.ts";
import type { ToolStatus } from "./tool-call.ts";
import { createTranslator, type Translator } from "./translate.ts";
import type { Usage } from "./usage.ts";

/**
 * The work of one sub-agent. Agents report it in two ways: as updates of a session of its own, which the parent's session
 * announces (`subagent_update`), or among their own updates, with the ID of the tool call that started the sub-agent.
 */
interface Lane {
  readonly translator: Translator;
  /** The tool call in the transcript under which the work is shown. */
  readonly parent: string;
  /** Makes the IDs of calls unique: other sessions may use the same. */
  readonly prefix: string;
}

/** A sub-agent with a session of its own. It is shown as a tool call, since it replaces the call that started it. */
interface Child {
  readonly lane: Lane;
  readonly sessionId: string;
  /** The lane of the sub-agent that started it; null if the agent itself did. */
  readonly owner: Lane | null;
  title: string | null;
  task: string | null;
  reply: string | null;
  status: ToolStatus;
  /** Whether this prompt's transcript contains it. */
  isShown: boolean;
}

/** The work of more sub-agents is not shown. */
const MAX_CHILDREN = 500;
/** If there are more, the oldest are forgotten at the end of a prompt. */
const MAX_LANES = 200;
const MAX_CALLS = 2_000;
const ALIVE: readonly AgentReport[] = [{ report: "alive" }];

/** A translator for an agent and its sub-agents, whose messages name the tool call they belong to as `parent`. */
export function createAgentTranslator(
  redactor: Redactor = openSecrets().redactor,
  outputBytes?: number,
  usageBefore?: Usage,
): Translator {
  const newTranslator = (): Translator => createTranslator(redactor, outputBytes);
  const root = createTranslator(redactor, outputBytes, usageBefore);
  const children = new Map<string, Child>();
  /** Lanes without a session of their own, by the tool call that started the sub-agent. */
  const lanes = new Map<string, Lane>();
  /** The lanes of calls. Some updates of a call do not repeat which sub-agent made it. */
  const laneOfCall = new Map<string, Lane>();

  const allLanes = (): Lane[] => [
    ...lanes.values(),
    ...[...children.values()].map(({ lane }) => lane),
  ];

  const laneFor = (parent: string): Lane => {
    const lane = lanes.get(parent) ?? {
      translator: newTranslator(),
      parent,
      prefix: "",
    };
    lanes.set(parent, lane);
    return lane;
  };

  /** The lane of an update of the agent's own session; null if it is about the agent itself. */
  const laneInside = (fields: Loose): Lane | null => {
    const parent = parentIn(fields);
    const callId = looseLabel(fields["toolCallId"]);
    const lane = parent === null ? (laneOfCall.get(callId ?? "") ?? null) : laneFor(parent);
    if (lane !== null && callId !== null) {
      laneOfCall.set(callId, lane);
      const oldest = laneOfCall.size > MAX_CALLS ? laneOfCall.keys().next().value : undefined;
      if (oldest !== undefined) laneOfCall.delete(oldest);
    }
    return lane;
  };

  const show = (child: Child): readonly AgentReport[] => {
    child.isShown = true;
    return [childReport(child, false)];
  };

  const announce = (owner: Lane | null, fields: Loose): readonly AgentReport[] => {
    const sessionId = looseLabel(fields["sessionId"]);
    if (sessionId === null) return ALIVE;
    const known = children.get(sessionId);
    if (known === undefined && children.size >= MAX_CHILDREN) return ALIVE;
    const child = known ?? newChild(sessionId, owner, newTranslator());
    children.set(sessionId, child);
    child.title = looseLabel(fields["title"], 2_000) ?? child.title;
    child.task = textIn(fields["description"]) ?? child.task;
    const state = looseObject(fields["state"]);
    const status = state === null ? null : statusOf(state);
    if (status !== null) child.status = status;
    // Agents also announce the idle sub-agents of earlier prompts.
    const isAtWork = status === "in_progress";
    return child.isShown || isAtWork ? show(child) : ALIVE;
  };

  /** A message between the agent and a sub-agent: its task, or its reply. The other one's view of it says the same. */
  const exchange = (owner: Lane | null, fields: Loose): readonly AgentReport[] => {
    const text = textIn(
      looseList(fields["content"])
        .map((block) => textOfBlock(block) ?? "")
        .join("\n"),
    );
    const recipient = children.get(looseLabel(fields["recipientSessionId"]) ?? "");
    const sender = children.get(looseLabel(fields["senderSessionId"]) ?? "");
    if (text === null) return ALIVE;
    if (recipient !== undefined && recipient.owner === owner) {
      recipient.task = text;
      return show(recipient);
    }
    if (sender !== undefined && sender.owner === owner) {
      sender.reply = text;
      return show(sender);
    }
    return ALIVE;
  };

  const translate = (child: Child | null, update: unknown): readonly AgentReport[] => {
    const fields = looseObject(update);
    if (fields === null) return ALIVE;
    const owner = child?.lane ?? null;
    if (fields["sessionUpdate"] === "subagent_update") return announce(owner, fields);
    if (fields["sessionUpdate"] === "session_message") return exchange(owner, fields);
    const lane = owner ?? laneInside(fields);
    if (lane === null) return root.update(update);
    const reports = reportsOf(lane, lane.translator.update(update));
    const isNews = child !== null && !child.isShown && reports.some(isShownReport);
    return isNews ? [...show(child), ...reports] : reports;
  };

  return {
    update(update, sessionId = null) {
      if (sessionId === null) return translate(null, update);
      const child = children.get(sessionId);
      return child === undefined ? ALIVE : translate(child, update);
    },
    permission(params) {
      const child = children.get(looseLabel(looseObject(params)?.["sessionId"]) ?? "") ?? null;
      const lane = child?.lane ?? laneInside(toolCallOf(params) ?? {});
      if (lane === null) return root.permission(params);
      const asked = lane.translator.permission(params);
      if (asked === null) return null;
      const { toolCallId } = asked.request;
      const before = child === null || child.isShown ? [] : show(child);
      return {
        ...asked,
        request: {
          ...asked.request,
          toolCallId: toolCallId === null ? null : `${lane.prefix}${toolCallId}`,
          ...(typeof child?.title === "string" && { subagent: child.title }),
        },
        reports: [...before, ...reportsOf(lane, asked.reports)],
      };
    },
    elicitation(params) {
      const child = children.get(looseLabel(looseObject(params)?.["sessionId"]) ?? "");
      if (child === undefined) return root.elicitation(params);
      const asked = child.lane.translator.elicitation(params);
      if (!asked.ok) return asked;
      const { toolCallId } = asked.request;
      return {
        ...asked,
        request: {
          ...asked.request,
          ...(typeof toolCallId === "string" && {
            toolCallId: `${child.lane.prefix}${toolCallId}`,
          }),
          ...(child.title !== null && { subagent: child.title }),
        },
        reports: [...(child.isShown ? [] : show(child)), ...reportsOf(child.lane, asked.reports)],
      };
    },
    notice: root.notice,
    endPrompt(how) {
      const ofLanes = allLanes().flatMap((lane) => reportsOf(lane, lane.translator.endPrompt(how)));
      const shown = [...children.values()].filter(({ isShown }) => isShown);
      const ends = shown.map((child) => childReport(ended(child, how), true));
      for (const child of shown) Object.assign(child, { isShown: false, reply: null });
      const excess = Math.max(0, lanes.size - MAX_LANES);
      for (const parent of [...lanes.keys()].slice(0, excess)) lanes.delete(parent);
      return [...ofLanes, ...ends, ...root.endPrompt(how)];
    },
    release: () => [
      ...root.release(),
      ...allLanes().flatMap((lane) => reportsOf(lane, lane.translator.release())),
    ],
    get usage() {
      return root.usage;
    },
    get isHolding() {
      return root.isHolding || allLanes().some(({ translator }) => translator.isHolding);
    },
  };
}

function newChild(sessionId: string, owner: Lane | null, translator: Translator): Child {
  return {
    lane: { translator, parent: sessionId, prefix: `${sessionId}/` },
    sessionId,
    owner,
    title: null,
    task: null,
    reply: null,
    status: "pending",
    isShown: false,
  };
}

function parentIn({ _meta }: Loose): string | null {
  return looseLabel(looseObject(looseObject(_meta)?.["claudeCode"])?.["parentToolUseId"]);
}

/** A sub-agent is reusable: it becomes idle at the end of each task. */
function statusOf({ state, stopReason }: Loose): ToolStatus {
  if (state !== "idle") return "in_progress";
  switch (stopReason) {
    case "cancelled":
      return "cancelled";
    case "error":
      return "failed";
    default:
      return "completed";
  }
}

function ended(child: Child, how: "completed" | "cancelled" | "failed"): Child {
  const isOpen = child.status === "pending" || child.status === "in_progress";
  if (!isOpen) return child;
  return { ...child, status: how === "cancelled" ? "cancelled" : "unfinished" };
}

function childReport(child: Child, isEnded: boolean): AgentReport {
  const { sessionId, title, task, reply, status, owner } = child;
  const content: MessageContent = {
    type: "tool",
    tool: "subagent",
    args: task === null ? null : { task },
    result: reply,
    callId: sessionId,
    title: title ?? "Sub-agent",
    kind: "subagent",
    status,
    locations: [],
    output: reply === null ? [] : [{ type: "text", text: reply }],
    ...(owner !== null && { parent: owner.parent }),
  };
  return { report: "tool", callId: sessionId, content, ended: isEnded };
}

/** The reports of a sub-agent as part of the session. Its usage is in the agent's own, and its title names only itself. */
function reportsOf(
  { parent, prefix }: Lane,
  reports: readonly AgentReport[],
): readonly AgentReport[] {
  const own = reports.flatMap((report): AgentReport[] => {
    switch (report.report) {
      case "text":
        return [{ ...report, parent }];
      case "message":
      case "plan":
        return [{ ...report, content: { ...report.content, parent } }];
      case "tool": {
        const callId = `${prefix}${report.callId}`;
        return [{ ...report, callId, content: { ...report.content, callId, parent } }];
      }
      case "output":
        return [{ ...report, callId: `${prefix}${report.callId}` }];
      // Its settings are its own, too.
      case "offer":
      case "usage":
      case "title":
        return [{ report: "alive" }];
      case "permission":
      case "elicitation":
      case "completed":
      case "wants":
      case "withdrawn":
      case "excess":
      case "alive":
        return [report];
      default:
        return report satisfies never;
    }
  });
  return own;
}

function isShownReport({ report }: AgentReport): boolean {
  return ["text", "message", "plan", "tool", "output"].includes(report);
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? cleanText(shortenText(value)) : null;
}
