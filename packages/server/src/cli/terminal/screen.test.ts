import { describe, expect, it } from "vitest";
import { createScreen } from "./screen.ts";
import { fakeTerminal } from "./testing/fake-terminal.ts";

describe("a screen", () => {
  it("separates answers and lines on one terminal", () => {
    const { terminal, screen } = fakeTerminal();
    const { text, endText, line, end } = createScreen(terminal);
    text("He");
    text("llo");
    line("beside");
    line("and again");
    text("more\n");
    endText();
    text("another");
    end();
    expect(screen()).toBe("Hello\n\nbeside\nand again\n\nmore\n\nanother\n");
  });

  it("adds no second empty line", () => {
    const { terminal, screen } = fakeTerminal();
    const { text, endText, line } = createScreen(terminal);
    text("said\n\n");
    endText();
    line("beside");
    expect(screen()).toBe("said\n\nbeside\n");
  });

  it("writes only answers to stdout, separated by an empty line", () => {
    const { terminal, stdout, stderr } = fakeTerminal({ isTerminal: false });
    const { text, endText, line, live, settle, notice, end } = createScreen(terminal);
    text("one");
    line("beside");
    endText();
    live("works");
    settle("done");
    notice("about itself");
    text("two");
    end();
    expect([stdout(), stderr()]).toEqual(["one\n\ntwo\n", "beside\nworks\ndone\nabout itself\n"]);
  });

  it("can write lines to stdout and notices to stderr", () => {
    const { terminal, stdout, stderr } = fakeTerminal({ isTerminal: false });
    const { text, line, notice, end } = createScreen(terminal, { beside: "stdout" });
    text("one");
    line("beside");
    notice("about itself");
    end();
    expect([stdout(), stderr()]).toEqual(["one\n\nbeside\n", "about itself\n"]);
  });

  it("replaces a live line only while it is the last one", () => {
    const { terminal, screen } = fakeTerminal();
    const { live, relive, settle, line } = createScreen(terminal);
    live("a");
    relive("a2");
    settle("A");
    live("b");
    line("c");
    relive("b2");
    settle("B");
    expect(screen()).toBe("a\r\u001B[Ka2\r\u001B[KA\nb\nc\nB\n");
  });

  it("holds back output during a question, up to a limit", () => {
    const { terminal, screen } = fakeTerminal();
    const { text, hold, release, line } = createScreen(terminal);
    text("be");
    hold();
    terminal.stderr.stream.write("?");
    text("gun");
    line("x".repeat(1024 * 1024));
    expect(screen()).toBe("be\n?");
    release();
    expect(screen()).toBe("be\n?gun\n(1048579 characters arrived meanwhile and are not shown)\n");
  });

  it("never holds back output that does not go to the terminal", () => {
    const { terminal, stdout } = fakeTerminal({ isOutTerminal: false });
    const { text, hold } = createScreen(terminal);
    hold();
    text("answer");
    expect(stdout()).toBe("answer");
  });
});
