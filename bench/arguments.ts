import { parseArgs } from "node:util";
import { PARTS, type Effort, type Part } from "./parts.ts";

export interface BenchArguments {
  readonly effort: Effort;
  /** The parts that were named; null for all of them. */
  readonly selected: readonly Part[] | null;
  readonly json: string | null;
  readonly docs: boolean;
  readonly priority: boolean;
}

/** Wrong arguments. The message says what is wrong with them. */
export class UsageError extends Error {}

/** Null if only help was asked for. Throws a `UsageError`. */
export function readArguments(args: readonly string[]): BenchArguments | null {
  const { values } = parse(args);
  if (values.help) return null;
  return {
    effort: values.quick ? "quick" : values.full ? "full" : "default",
    selected: values.only === undefined ? null : partsNamed(values.only.split(",")),
    json: values.json ?? null,
    docs: values.docs,
    priority: values.priority,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean", default: false },
        full: { type: "boolean", default: false },
        only: { type: "string" },
        json: { type: "string" },
        docs: { type: "boolean", default: false },
        priority: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** In the order in which they run. */
function partsNamed(names: readonly string[]): readonly Part[] {
  const all = PARTS.map(({ name }) => name);
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new UsageError(`Unknown part: ${unknown.join(", ")}. The parts are ${all.join(", ")}.`);
  return PARTS.filter(({ name }) => names.includes(name));
}

const WIDTH = Math.max(...PARTS.map(({ name }) => name.length));

export const USAGE = `Usage: npm run bench -- [options]

Measures Holdfast on this machine, in less than ten minutes.

  --quick           in less than two minutes, without the parts marked with *
  --full            with more repetitions and larger databases, without a time limit
  --only PART,PART  only these parts, without a time limit
  --priority        raises the priority of the servers above other programs (as root)
  --json FILE       saves the figures
  --docs            writes the tables and plots of the documentation
  -h, --help        shows this

Parts:

${PARTS.map(({ name, title, isSlow = false }) => `  ${name.padEnd(WIDTH)} ${isSlow ? "*" : " "} ${title}`).join("\n")}`;
