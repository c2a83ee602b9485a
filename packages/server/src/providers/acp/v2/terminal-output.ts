import { StringDecoder } from "node:string_decoder";
import { looseNumber, looseObject, type Loose } from "../wire/loose.ts";
import type { Frame } from "../wire/parse-frame.ts";
import { GrowingText } from "./growing-text.ts";
import { Recent } from "./recent.ts";

const MAX_TERMINALS = 500;

interface Output {
  decoder: StringDecoder;
  text: GrowingText;
}

/**
 * Decodes the output of terminals, which comes as Base64 of bytes. This is done before anything else, because secrets
 * can be found in text only. The result names its text as agents of version 1 do; the terminal stands for the call.
 */
export class TerminalOutput {
  readonly #outputs = new Recent<Output>(MAX_TERMINALS);

  decode(frame: Frame): Frame {
    if (frame.frame !== "notification" || frame.method !== "session/update") return frame;
    const params = looseObject(frame.params);
    const update = looseObject(params?.["update"]);
    const terminalId = update?.["terminalId"];
    if (params === null || update === null || typeof terminalId !== "string") return frame;
    const { sessionId } = params;
    const { sessionUpdate } = update;
    if (sessionUpdate !== "terminal_update" && sessionUpdate !== "terminal_output_chunk") {
      return frame;
    }
    const decoded = this.#decodeUpdate(
      `${typeof sessionId === "string" ? sessionId : ""} ${terminalId}`,
      update,
    );
    return { ...frame, params: { ...params, update: decoded } };
  }

  #decodeUpdate(key: string, update: Loose): Loose {
    const { terminalId, command, cwd, data, output, exitStatus } = update;
    const meta = looseObject(update["_meta"]);
    const snapshot = looseObject(output)?.["data"];
    const exit = looseObject(exitStatus);
    const next =
      typeof data === "string"
        ? this.#piece(key, data)
        : typeof snapshot === "string"
          ? this.#whole(key, snapshot)
          : null;
    const rest = exit === null ? "" : this.#end(key);
    const text = `${next?.text ?? ""}${rest}`;
    return {
      sessionUpdate: "terminal_update",
      terminalId,
      toolCallId: terminalId,
      ...(typeof command === "string" && { command }),
      ...(typeof cwd === "string" && { cwd }),
      _meta: {
        ...meta,
        ...(text !== "" && {
          terminal_output: {
            terminal_id: terminalId,
            data: text,
            ...(next?.replaces === true && { replaces: true }),
          },
        }),
        ...(exit !== null && {
          terminal_exit: {
            terminal_id: terminalId,
            exit_code: looseNumber(exit["exitCode"]),
            signal: exit["signal"],
          },
        }),
      },
    };
  }

  #piece(key: string, base64: string): { readonly text: string; readonly replaces: boolean } {
    const { decoder, text } = this.#get(key);
    const piece = decoder.write(Buffer.from(base64, "base64"));
    text.add(piece);
    return { text: piece, replaces: false };
  }

  /** Output that came in pieces may come again as a whole, or as an excerpt, which is left out. */
  #whole(key: string, base64: string): { readonly text: string; readonly replaces: boolean } {
    const { text } = this.#get(key);
    const whole = Buffer.from(base64, "base64").toString();
    const rest = text.restOf(whole);
    if (rest === null && whole.length <= text.length) return { text: "", replaces: false };
    const replaced = rest === null ? new GrowingText() : text;
    replaced.add(rest ?? whole);
    this.#outputs.set(key, { decoder: new StringDecoder("utf8"), text: replaced });
    return { text: rest ?? whole, replaces: rest === null };
  }

  /** Half a character that was left. */
  #end(key: string): string {
    return this.#outputs.get(key)?.decoder.end() ?? "";
  }

  #get(key: string): Output {
    const output = this.#outputs.get(key) ?? {
      decoder: new StringDecoder("utf8"),
      text: new GrowingText(),
    };
    this.#outputs.set(key, output);
    return output;
  }
}
