import { expect, it } from "vitest";
import { parseSharedLink, sharedHref } from "./shared-link.ts";

it("a link to a shared session has its token behind the #, which browsers do not send", () => {
  const link = { sessionId: "0198a-1", token: "hf_a-b_c" };
  const href = sharedHref(link);
  expect(href).toBe("/shared/0198a-1#hf_a-b_c");
  const { pathname, hash } = new URL(href, "http://localhost");
  expect(parseSharedLink({ pathname, hash })).toEqual(link);
});

it("other addresses are no links to shared sessions", () => {
  const paths = ["/", "/shared", "/shared/", "/shared/a/b", "/sessions/a"];
  expect(paths.map((pathname) => parseSharedLink({ pathname, hash: "#x" }))).toEqual(
    paths.map(() => null),
  );
});
