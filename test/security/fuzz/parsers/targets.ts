import { writeFileSync } from "node:fs";
import path from "node:path";
import { ZodError } from "zod";
import { createSseParser } from "../../../../packages/client/src/sse-parser.ts";
import { parseFeedEvent } from "../../../../packages/protocol/src/index.ts";
import { CommandFailure } from "../../../../packages/server/src/cli/exit.ts";
import { parseState } from "../../../../packages/server/src/cli/gaia/parse-state.ts";
import { BadState } from "../../../../packages/server/src/cli/gaia/state-schema.ts";
import { readConfigFile } from "../../../../packages/server/src/cli/settings/config-file.ts";
import {
  JsonFault,
  parseJsonWithLines,
} from "../../../../packages/server/src/cli/settings/json-lines.ts";
import { createTranslator } from "../../../../packages/server/src/providers/acp/translate/translate.ts";
import { SecondVersion } from "../../../../packages/server/src/providers/acp/v2/second-version.ts";
import { createLineReader } from "../../../../packages/server/src/providers/acp/wire/line-reader.ts";
import { looseObject } from "../../../../packages/server/src/providers/acp/wire/loose.ts";
import { parseFrame } from "../../../../packages/server/src/providers/acp/wire/parse-frame.ts";
import {
  parseEnd,
  parseHeader,
  parseMessage,
  parseQueued,
  parseRepo,
  parseRun,
  parseSession,
  parseSuspension,
} from "../../../../packages/server/src/runtime/bundle/parse-bundle.ts";
import { BadLine, parseLine } from "../../../../packages/server/src/runtime/bundle/parse-line.ts";

/** A parser of text from outside. It either takes the input or refuses it with its own error. */
export interface ParserTarget {
  /** Also the name of its folder in `corpus`. */
  readonly name: string;
  readonly parse: (input: Buffer, folder: string) => void;
  /** The error for bad input. Any other is a bug. */
  readonly refusal: (new (...args: never[]) => Error) | null;
}

const BUNDLE_LINES = [
  parseHeader,
  parseSession,
  parseRepo,
  parseRun,
  parseSuspension,
  parseMessage,
  parseQueued,
  (line: Parameters<typeof parseEnd>[0]) => parseEnd(line, 2),
];
const MAX_LINE = 4_096;

export const TARGETS: readonly ParserTarget[] = [
  {
    name: "lines",
    refusal: null,
    parse: (input) => {
      let bytes = 0;
      const count = (line: string): void => {
        if (line.includes("\n")) throw new Error("a line has a newline");
        bytes += line.length;
      };
      const reader = createLineReader({ onLine: count, onOversize: count, maxBytes: MAX_LINE });
      for (let at = 0; at < input.length; at += 7) reader.push(input.subarray(at, at + 7));
      reader.end();
      if (bytes > input.length) throw new Error("there is more text than input");
    },
  },
  {
    name: "frames",
    refusal: null,
    parse: (input) => void input.toString().split("\n").map(parseFrame),
  },
  {
    name: "second-version",
    refusal: null,
    parse: (input) => {
      const second = new SecondVersion();
      const translator = createTranslator();
      for (const line of input.toString().split("\n")) {
        const frame = second.decode(parseFrame(line));
        if (frame.frame === "notification")
          for (const params of second.updates(frame.params))
            translator.update(looseObject(params)?.["update"]);
        if (frame.frame === "request")
          translator.permission(second.incoming(frame.method, frame.params));
        if (frame.frame === "result") second.result(frame.result);
      }
      translator.endPrompt("completed");
    },
  },
  {
    name: "bundle-lines",
    refusal: BadLine,
    parse: (input) => {
      const line = parseLine(input.toString());
      // Any line may stand in any place of a bundle.
      const refusals = BUNDLE_LINES.map((parse) => refusalOf(() => void parse(line), BadLine));
      if (refusals.every((refusal) => refusal !== null)) throw refusals[0];
    },
  },
  {
    name: "gaia-states",
    refusal: BadState,
    parse: (input) => void parseState(input.toString(), { folder: "agent-1" }),
  },
  {
    name: "json-with-lines",
    refusal: JsonFault,
    parse: (input) => void parseJsonWithLines(input.toString()).lineAt(["a", 0, "b"]),
  },
  {
    name: "settings",
    refusal: CommandFailure,
    parse: (input, folder) => {
      writeFileSync(path.join(folder, "holdfast.config.json"), input);
      readConfigFile(folder);
    },
  },
  {
    name: "event-streams",
    refusal: ZodError,
    parse: (input) => {
      const parser = createSseParser();
      for (let at = 0; at < input.length; at += 11) {
        for (const { name, data } of parser.push(input.toString("latin1", at, at + 11))) {
          const value = jsonOrNull(data);
          if (value !== null) parseFeedEvent(name, value);
        }
      }
    },
  },
];

/** What the parser throws for bad input; null if it takes it. Other errors are thrown on. */
export function refusalOf(parse: () => void, refusal: ParserTarget["refusal"]): Error | null {
  try {
    parse();
    return null;
  } catch (error) {
    if (refusal !== null && error instanceof refusal) return error;
    throw error;
  }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
