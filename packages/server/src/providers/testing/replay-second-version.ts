import { initializeResult, isSecondVersion } from "../acp/v2/initialize.ts";
import { SecondVersion } from "../acp/v2/second-version.ts";
import { looseObject } from "../acp/wire/loose.ts";
import { parseFrame } from "../acp/wire/parse-frame.ts";

interface Recorded {
  readonly dir?: "client" | "agent";
  readonly msg?: object;
}

/** A recording of version 2 as if it had been made in version 1; a recording of version 1 stays as it is. */
export function asFirstVersion<Row extends Recorded>(rows: readonly Row[]): readonly Row[] {
  let second: SecondVersion | null = null;
  /** The prompts at work, by session. */
  const prompts = new Map<unknown, unknown>();

  const agentRow = (row: Row, version: SecondVersion): readonly Row[] => {
    const line = JSON.stringify({ jsonrpc: "2.0", ...row.msg });
    const frame = version.decode(parseFrame(line));
    const withMessage = (msg: object): Row => ({ ...row, msg });
    switch (frame.frame) {
      case "notification": {
        if (frame.method !== "session/update") return [row];
        const { sessionId, update } = looseObject(frame.params) ?? {};
        const updates = version
          .updates(frame.params)
          .map((params) => withMessage({ method: frame.method, params }));
        const { sessionUpdate, state, error, ...end } = looseObject(update) ?? {};
        const id = prompts.get(sessionId);
        if (sessionUpdate !== "state_update" || state !== "idle" || id === undefined)
          return updates;
        prompts.delete(sessionId);
        const isError = end["stopReason"] === "error";
        return [...updates, withMessage(isError ? { id, error } : { id, result: end })];
      }
      case "request": {
        const { id, method } = frame;
        return [withMessage({ id, method, params: version.incoming(method, frame.params) })];
      }
      case "result":
        // The reply to a prompt is not its end.
        if ([...prompts.values()].includes(frame.id)) return [];
        return [withMessage({ id: frame.id, result: version.result(frame.result) })];
      case "error":
      case "unreadable":
      case "noise":
        return [row];
      default:
        return frame satisfies never;
    }
  };

  return rows.flatMap((row): readonly Row[] => {
    const { id, method, params, result } = (looseObject(row.msg) ?? {}) as {
      readonly id?: unknown;
      readonly method?: unknown;
      readonly params?: unknown;
      readonly result?: unknown;
    };
    if (row.dir === "agent" && isSecondVersion(result)) {
      second = new SecondVersion();
      return [{ ...row, msg: { id, result: initializeResult(result) } }];
    }
    if (second === null) return [row];
    if (row.dir === "agent") return agentRow(row, second);
    if (method === "session/prompt") prompts.set(looseObject(params)?.["sessionId"], id);
    return [row];
  });
}
