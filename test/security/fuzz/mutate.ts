import { NASTY_JSON } from "./nasty.ts";
import type { Random } from "./random.ts";

const MUTATIONS = [
  "as it is",
  "flip",
  "cut",
  "drop",
  "insert",
  "repeat line",
  "swap lines",
  "drop line",
  "join lines",
  "spoil value",
  "rename key",
  "noise line",
  "random bytes",
] as const;

/** Changes lines of an agent as a faulty agent, a pipe or a bug could. */
export function mutate(lines: readonly string[], random: Random): Buffer {
  let current = [...lines];
  let bytes: Buffer | null = null;
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    const at = random.below(current.length);
    const whole = (): Buffer => (bytes ??= Buffer.from(`${current.join("\n")}\n`));
    switch (random.pick(MUTATIONS)) {
      case "as it is":
        break;
      case "flip": {
        const flipped = Buffer.from(whole());
        for (let count = 1 + random.below(8); count > 0; count -= 1)
          flipped[random.below(flipped.length)] = random.below(256);
        bytes = flipped;
        break;
      }
      case "cut":
        bytes = whole().subarray(0, random.below(whole().length));
        break;
      case "drop": {
        const from = random.below(whole().length);
        bytes = Buffer.concat([
          whole().subarray(0, from),
          whole().subarray(from + random.below(200)),
        ]);
        break;
      }
      case "insert":
      case "random bytes": {
        const from = random.below(whole().length);
        const added = Buffer.from(
          Array.from({ length: random.below(400) }, () => random.below(256)),
        );
        bytes = Buffer.concat([whole().subarray(0, from), added, whole().subarray(from)]);
        break;
      }
      case "repeat line":
        current.splice(
          at,
          0,
          ...Array.from({ length: 1 + random.below(20) }, () => current[at] ?? ""),
        );
        break;
      case "swap lines":
        current = [...current.slice(at), ...current.slice(0, at)];
        break;
      case "drop line":
        if (current.length > 1) current.splice(at, 1 + random.below(3));
        break;
      case "join lines":
        current.splice(at, 2, current.slice(at, at + 2).join(""));
        break;
      case "spoil value":
        current[at] = spoil(current[at] ?? "", random);
        break;
      case "rename key":
        current[at] = (current[at] ?? "").replace(
          /"(\w+)":/u,
          `"${random.pick(["__proto__", "id", "method", "result", "error", "jsonrpc"])}":`,
        );
        break;
      case "noise line":
        current.splice(
          at,
          0,
          random.pick(["", " ", "[1]", "null", "Debug: started\r", ...NASTY_JSON]),
        );
        break;
    }
    if (current.length === 0) current = [""];
  }
  return bytes ?? Buffer.from(`${current.join("\n")}\n`);
}

/** Replaces one value in the line. */
function spoil(line: string, random: Random): string {
  const values = [
    ...line.matchAll(/:("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|\[\]|\{\})/gu),
  ];
  const value = values[random.below(values.length)];
  if (value === undefined) return line;
  const start = value.index + 1;
  const end = value.index + value[0].length;
  return `${line.slice(0, start)}${random.pick(NASTY_JSON)}${line.slice(end)}`;
}
