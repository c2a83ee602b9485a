import { expect, it } from "vitest";
import { parseSharedLink, sharedHref } from "./shared-link.ts";

it("a link to a shared session has its token behind the #, which browsers do not send", () => {
  const link = { sessionId: "0198a-1", token: "hf_a-b_c", messageId: null };
  const href = sharedHref(link);
  expect(href).toBe("/shared/0198a-1#hf_a-b_c");
  const { pathname, hash } = new URL(href, "http://localhost");
  expect(parseSharedLink({ pathname, hash })).toEqual(link);
});

it("a link can name a message", () => {
  const link = { sessionId: "0198a-1", token: "hf_a-b_c", messageId: "m/1 ü" };
  const href = sharedHref(link);
  expect(href).toBe("/shared/0198a-1#hf_a-b_c/m%2F1%20%C3%BC");
  const { pathname, hash } = new URL(href, "http://localhost");
  expect(parseSharedLink({ pathname, hash })).toEqual(link);
  expect(parseSharedLink({ pathname, hash: "#hf_a/%" })).toMatchObject({ messageId: null });
  expect(parseSharedLink({ pathname, hash: "" })).toMatchObject({ token: "", messageId: null });
});

it("other addresses are no links to shared sessions", () => {
  const paths = ["/", "/shared", "/shared/", "/shared/a/b", "/sessions/a"];
  expect(paths.map((pathname) => parseSharedLink({ pathname, hash: "#x" }))).toEqual(
    paths.map(() => null),
  );
});
