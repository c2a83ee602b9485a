import { describe, expect, it } from "vitest";
import { askPerson } from "./ask-person.ts";
import { createFormDialog } from "./form/form-dialog.ts";
import { questionOf, type Question } from "./question.ts";
import { fakeTerminal, handClock } from "../terminal/testing/fake-terminal.ts";
import { suspension } from "../terminal/testing/samples.ts";

const INERT = 500;

function open(question: Question) {
  if (question.ask === "nothing") throw new Error("nobody is asked");
  const fake = fakeTerminal();
  const clock = handClock();
  let interrupts = 0;
  const asked = askPerson(question, {
    dialog: question.ask === "form" ? createFormDialog(question.form) : null,
    terminal: fake.terminal,
    later: clock.later,
    onInterrupt: () => {
      interrupts += 1;
    },
  });
  return { ...fake, ...clock, ...asked, interrupts: () => interrupts };
}
/** Keys are read in later rounds of the loop. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const CHOICE = questionOf(suspension());
const manyOptions = (count: number): Question =>
  questionOf(
    suspension({
      request: {
        options: Array.from({ length: count }, (_, at) => ({
          optionId: `o${at + 1}`,
          name: "",
          kind: "other",
        })),
      },
    }),
  );

describe("a choice", () => {
  it.each([
    ["1", "yes"],
    ["2", "no"],
    ["n", "no"],
    ["N", "no"],
    ["x\r 93\t2", "no"],
    ["\u001B[A\u001B[B1", "yes"],
    ["\u001Bn1", "yes"],
  ])("is made by %j", async (keys, expected) => {
    const { answer, type, pass, isRaw } = open(CHOICE);
    expect(isRaw()).toBe(true);
    await pass(INERT);
    type(keys);
    expect(await answer).toBe(expected);
    expect(isRaw()).toBe(false);
  });

  it("is rejected by Escape", async () => {
    const { answer, type, pass } = open(CHOICE);
    await pass(INERT);
    type("\u001B");
    expect(await answer).toBe("no");
  });

  it("has no default, and ignores keys that were typed before it could be read (P7)", async () => {
    const { answer, type, pass, close } = open(CHOICE);
    type("1\r2");
    await settled();
    await pass(INERT);
    type("\r\r y\u001A");
    await settled();
    close();
    expect(await answer).toBeNull();
  });

  it("cannot be rejected if the agent offers no rejection", async () => {
    const { answer, type, pass } = open(manyOptions(3));
    await pass(INERT);
    type("n3");
    expect(await answer).toBe("o3");
  });

  it.each([
    ["12", "o12"],
    ["1\r", "o1"],
    ["2", "o2"],
    ["0", null],
    ["13\r", null],
  ])("among many is made by %j", async (keys, expected) => {
    const { answer, type, pass, close } = open(manyOptions(12));
    await pass(INERT);
    type(keys);
    await settled();
    close();
    expect(await answer).toBe(expected);
  });

  it("forwards Ctrl-C, and stays open after Ctrl-D", async () => {
    const { answer, type, pass, interrupts } = open(CHOICE);
    type("\u0003");
    await settled();
    expect(interrupts()).toBe(1);
    await pass(INERT);
    type("\u0004");
    expect(await answer).toBeNull();
  });

  it("ends raw mode when the process exits during a question", () => {
    const { signal, isRaw, listeners, close } = open(CHOICE);
    expect(isRaw()).toBe(true);
    signal("exit");
    expect(isRaw()).toBe(false);
    close();
    expect(listeners()).toBe(0);
  });
});

describe("a question", () => {
  const question = questionOf(
    suspension({
      kind: "question",
      request: { title: "Which?", options: ["SQLite", "PostgreSQL"] },
    }),
  );

  it.each([
    ["a file\r", "a file"],
    ["2\r", "PostgreSQL"],
    ["3\r", "3"],
    ["\r \r ok \r", "ok"],
  ])("is answered by the line %j", async (keys, expected) => {
    const { answer, type, pass, isRaw } = open(question);
    await pass(INERT);
    type(keys);
    expect(await answer).toBe(expected);
    expect(isRaw()).toBe(false);
  });

  it("ignores text that was typed before the question appeared", async () => {
    const { answer, type, pass } = open(question);
    type("something else\r");
    await settled();
    await pass(INERT);
    type("this\r");
    expect(await answer).toBe("this");
  });

  it("forwards Ctrl-C, and stays open after Ctrl-D", async () => {
    const { answer, type, pass, interrupts } = open(question);
    await pass(INERT);
    type("\u0003");
    await settled();
    expect(interrupts()).toBe(1);
    type("\u0004");
    expect(await answer).toBeNull();
  });
});
