import { expect, it } from "vitest";
import { createPaint } from "../terminal/paint.ts";
import { readableLine } from "./log-line.ts";

const plain = createPaint({ colour: false });
const time = "2026-01-08T18:05:30.000Z";

it.each([
  {
    title: "fields follow the message",
    entry: {
      level: 30,
      time,
      url: "http://127.0.0.1:4664",
      pid: 7,
      why: "two words",
      msg: "ready",
    },
    line: `${time} INFO  ready url=http://127.0.0.1:4664 pid=7 why="two words"`,
  },
  {
    title: "an error is its message",
    entry: {
      level: 50,
      time,
      err: { type: "Error", message: "no\nspace", stack: "…" },
      msg: "failed",
    },
    line: `${time} ERROR failed err="no\\nspace"`,
  },
  {
    title: "objects stay JSON",
    entry: { level: 40, time, pids: [1, 2], none: null, msg: "x" },
    line: `${time} WARN  x pids=[1,2] none=null`,
  },
  { title: "nothing is required", entry: {}, line: "            " },
])("a line of the log for people: $title", ({ entry, line }) => {
  expect(readableLine(JSON.stringify(entry), plain).trimEnd()).toBe(line.trimEnd());
});

it.each(["no JSON", "[1]", "null", '"text"', "7"])("%s stays as it is", (line) => {
  expect(readableLine(line, plain)).toBe(line);
});

it("control characters are made visible", () => {
  expect(readableLine("a\u001b[2Jb", plain)).toBe("a␛[2Jb");
  expect(readableLine(JSON.stringify({ level: 30, time, msg: "a\u001b[2J\nb" }), plain)).toBe(
    `${time} INFO  a␛[2J b`,
  );
});
