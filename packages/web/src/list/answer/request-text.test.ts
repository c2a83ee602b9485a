import type { OpenSuspension } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { hasChanges, requestText } from "./request-text.ts";

const OPTIONS = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
const CHANGE = { path: "/work/src/retry.ts", oldText: "a\nb\n", newText: "a\nc\nd\n" };

function permission(request: Readonly<Record<string, unknown>>): OpenSuspension {
  return suspension("permission", { options: OPTIONS, ...request });
}

function suspension(
  kind: OpenSuspension["kind"],
  request: Readonly<Record<string, unknown>>,
): OpenSuspension {
  return { id: "w", kind, request, createdAt: "2026-01-01T00:00:00.000Z", expiresAt: null };
}

describe("the request on a row", () => {
  it.each([
    [
      "a command, on one line",
      permission({ title: "Tests", kind: "execute", input: { command: "npm ci &&\n npm test" } }),
      "Run npm ci && npm test",
    ],
    ["a title", permission({ title: "`git push`", kind: "execute" }), "Run: git push"],
    ["a question", suspension("question", { title: "Which colour?" }), "Which colour?"],
    ["a form", suspension("elicitation", { title: "Your name" }), "Question: Your name"],
    ["a login", suspension("login", { title: "Claude Code" }), "Login: Claude Code"],
  ])("is %s", (_, request, text) => {
    expect(requestText(request, [])).toBe(text);
  });

  it("is the file and the number of lines, once the change is known", () => {
    const edit = permission({ title: "Edit retry.ts", kind: "edit", toolCallId: "t" });
    expect(hasChanges(edit)).toBe(true);
    expect(requestText(edit, [])).toBe("Edit retry.ts");
    expect(requestText(edit, [CHANGE])).toBe("Edit retry.ts +2 −1");
  });

  it("has no changes to read if it is a command or a question", () => {
    expect(hasChanges(permission({ title: "Tests", kind: "execute" }))).toBe(false);
    expect(hasChanges(suspension("question", { title: "Which colour?" }))).toBe(false);
  });
});
