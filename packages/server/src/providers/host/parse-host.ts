import { looseList, looseNumber, looseObject, type Loose } from "../acp/wire/loose.ts";
import { AGENT_FAULT_CODES, AgentFault } from "../provider.ts";
import type {
  AboutAgent,
  Attached,
  Checkpoint,
  HostedExit,
  HostedFolder,
  HostOrder,
  HostState,
  Opening,
  StartHosted,
} from "./host-protocol.ts";

/*
 * Reads what the other side has written. Both sides are ours, but may be of different versions: what cannot be read counts as
 * missing.
 */

export function parseOpening(line: Buffer): Opening | null {
  const value = parseObject(line);
  switch (value?.["do"]) {
    case "attend":
      return { do: "attend", protocol: looseNumber(value["protocol"]) ?? 0 };
    case "attach":
      return typeof value["id"] === "string" ? { do: "attach", id: value["id"] } : null;
    case "start": {
      const agent = parseStart(value["agent"]);
      return agent === null ? null : { do: "start", agent };
    }
    default:
      return null;
  }
}

export function parseOrder(line: Buffer): HostOrder | null {
  const value = parseObject(line);
  switch (value?.["do"]) {
    case "settings": {
      const unattendedMs = looseNumber(value["unattendedMs"]);
      return unattendedMs === null ? null : { do: "settings", unattendedMs };
    }
    case "keep":
      return { do: "keep", ms: looseNumber(value["ms"]) };
    case "end":
      return { do: "end", agents: value["agents"] === true };
    default:
      return null;
  }
}

export function parseState(line: Buffer): HostState | null {
  const value = parseObject(line);
  const { protocol, version, pid, agents } = value ?? {};
  if (typeof protocol !== "number" || typeof pid !== "number" || typeof version !== "string")
    return null;
  return {
    protocol,
    version,
    pid,
    agents: looseList(agents).flatMap((each) => {
      const { id, isAlive } = looseObject(each) ?? {};
      return typeof id === "string" ? [{ id, isAlive: isAlive === true }] : [];
    }),
  };
}

/** Throws the `AgentFault` of a host that refuses. */
export function parseAttached(bytes: Buffer): Attached {
  const value = parseObject(bytes);
  const { ok, pid, log, logSize, code, message, isPassing } = value ?? {};
  if (ok !== true || typeof pid !== "number") {
    const known = AGENT_FAULT_CODES.find((each) => each === code) ?? "agent_not_started";
    const reason = typeof message === "string" ? message : "The agent host gave no reason.";
    throw new AgentFault(known, reason, { isPassing: isPassing === true });
  }
  return {
    ok,
    pid,
    log: typeof log === "string" ? log : null,
    logSize: looseNumber(logSize) ?? 0,
  };
}

export function parseCheckpoint(bytes: Buffer): Checkpoint | null {
  const value = parseObject(bytes);
  const offset = looseNumber(value?.["offset"]);
  return offset === null ? null : { offset, note: value?.["note"] };
}

export function parseExit(bytes: Buffer): HostedExit {
  const { code, signal, why } = parseObject(bytes) ?? {};
  return {
    code: looseNumber(code),
    signal: typeof signal === "string" ? signal : null,
    why: why === "unattended" || why === "lease" || why === "host" ? why : "itself",
  };
}

export function parseAbout(value: unknown): AboutAgent | null {
  const about = looseObject(value);
  const { owner, agent } = looseObject(about?.["marker"]) ?? {};
  const { sessionId, provider } = about ?? {};
  if (typeof sessionId !== "string" || typeof provider !== "string") return null;
  if (typeof owner !== "string" || typeof agent !== "string") return null;
  return { sessionId, provider, marker: { owner, agent } };
}

export function parseObject(bytes: Buffer): Loose | null {
  try {
    return looseObject(JSON.parse(bytes.toString("utf8")));
  } catch {
    return null;
  }
}

function parseStart(value: unknown): StartHosted | null {
  const {
    id,
    about: aboutAgent,
    command,
    isEnclosed,
    umask,
    workspace,
    directories,
  } = looseObject(value) ?? {};
  const about = parseAbout(aboutAgent);
  const { program, args, env } = looseObject(command) ?? {};
  const folder = parseFolder(workspace);
  if (typeof id !== "string" || typeof program !== "string") return null;
  if (about === null || folder === null) return null;
  return {
    id,
    about,
    isEnclosed: isEnclosed === true,
    umask: looseNumber(umask),
    workspace: folder,
    directories: looseList(directories).flatMap((each) => parseFolder(each) ?? []),
    command: {
      program,
      args: looseList(args).map(String),
      env: Object.fromEntries(
        Object.entries(looseObject(env) ?? {}).map(([name, text]) => [name, String(text)]),
      ),
    },
  };
}

function parseFolder(value: unknown): HostedFolder | null {
  const { path, descriptor } = looseObject(value) ?? {};
  if (typeof path !== "string") return null;
  return { path, descriptor: typeof descriptor === "string" ? descriptor : null };
}
