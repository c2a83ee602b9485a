import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameOf, routesOf } from "../route-list.ts";
import { errorIn, openFuzzRig, OUTSIDE, WITH_TOKEN, type FuzzRig } from "./fuzz-rig.ts";
import { PATH_PAYLOADS } from "./nasty.ts";
import type { Answer, WireRequest } from "./wire.ts";

let rig: FuzzRig;
beforeAll(async () => {
  rig = await openFuzzRig();
});
afterAll(() => rig.close());

const send = (request: WireRequest): Promise<Answer> =>
  rig.wire.send({ ...request, headers: { ...WITH_TOKEN, ...request.headers } });

describe("paths", () => {
  it("that are malicious, malformed or too long are refused in every parameter of every route", async () => {
    const errors: string[] = [];
    let count = 0;
    for (const route of routesOf(rig.app).filter(({ method }) => method !== "HEAD")) {
      const parameters = [...route.url.matchAll(/:\w+/gu)].map(([name]) => name);
      for (const parameter of parameters) {
        for (const payload of PATH_PAYLOADS) {
          const url = route.url.replace(parameter, () => payload).replaceAll(/:\w+/gu, "none");
          count += 1;
          const answer = await send({ method: route.method, path: url });
          const error =
            errorIn(answer) ??
            (answer.headers["set-cookie"] === undefined ? null : "accepted an injected header") ??
            (answer.status >= 400 || acceptsAnyName(route.url) || isOtherRoute(url)
              ? null
              : `answered ${answer.status}`);
          if (error !== null)
            errors.push(`${nameOf(route)} with ${payload.slice(0, 60)} → ${error}`);
        }
      }
    }
    expect(errors).toEqual([]);
    expect(count).toBeGreaterThan(900);
    await rig.expectSound();
  });

  /** The response for an unknown session is 200; so is the response for an event that no session waits for. */
  const acceptsAnyName = (url: string): boolean =>
    url.endsWith("/should-resume") || url === "/api/events/:name";

  /** Without a parameter left: `/api/sessions/.` normalizes to the address of another route. */
  const isOtherRoute = (url: string): boolean => /\/\.{1,2}(\/|$)/u.test(url);

  it("reach no file outside the page's folder", async () => {
    const climbing = PATH_PAYLOADS.flatMap((payload) => [
      `/${payload}`,
      `/${payload}/secret.txt`,
      `/assets/${payload}/${payload}/secret.txt`,
      `/assets/${payload}`,
    ]);
    const direct = [
      "/../secret.txt",
      "/assets/../../secret.txt",
      "/assets/..%2f..%2fsecret.txt",
      "/assets/%2e%2e/%2e%2e/secret.txt",
      "/assets/..%5c..%5csecret.txt",
      "//secret.txt",
      "/./../secret.txt",
      "/assets//../../secret.txt",
      "/..;/secret.txt",
      "/index.html%00.js",
      "/assets/app.js/../../../secret.txt",
      "/etc/passwd",
      "//etc/passwd",
      "/assets/%2fetc%2fpasswd",
    ];
    for (const url of [...climbing, ...direct]) {
      const answer = await send({ method: "GET", path: url });
      const result = { url: url.slice(0, 100), error: errorIn(answer) };
      expect(result).toEqual({ ...result, error: null });
      expect(answer.body).not.toMatch(/root:.*:0:0:/u);
    }
  });

  it("of repositories stay inside the root: by name, link, encoding and content", async () => {
    const { test } = rig;
    const root = path.join(test.folder, "root");
    mkdirSync(path.join(test.folder, "outside", ".git"), { recursive: true });
    writeFileSync(path.join(test.folder, "outside", "plain.txt"), OUTSIDE);
    symlinkSync(path.join(test.folder, "outside"), path.join(root, "link"));
    symlinkSync(path.join(test.folder, "outside"), path.join(test.repoPath, "inside-link"));
    const wrong = [
      "..",
      "../outside",
      path.join(test.folder, "outside"),
      `${root}/../outside`,
      `${root}/link`,
      "link",
      "link/../link",
      "/",
      "/etc",
      "/proc/self/root",
      "/proc/self/cwd",
      "/dev/fd/0",
      "repo/../../outside",
      "\u0000/etc",
      "~",
      "~root",
      "file:///etc",
      "\\\\host\\share",
      "%2e%2e/outside",
      "x".repeat(4_000),
      "a/".repeat(1_500),
    ];
    for (const repoPath of wrong) {
      const answer = await send({
        method: "POST",
        path: "/api/repos",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ path: repoPath }),
      });
      const result = {
        repoPath: repoPath.slice(0, 60),
        isRefused: [400, 403, 404, 409].includes(answer.status),
        error: errorIn(answer),
      };
      expect(result).toEqual({ ...result, isRefused: true, error: null });
    }
    const queries = ["../", "..%2f", "/etc/passwd", "%00", "plain", "secret", "inside-link", "."];
    for (const query of queries) {
      const answer = await send({
        method: "GET",
        path: `/api/repos/${test.repoId}/files?query=${query}`,
      });
      expect(errorIn(answer)).toBeNull();
      expect(answer.status).toBe(200);
      const { files } = JSON.parse(answer.body);
      for (const file of files) {
        expect(path.isAbsolute(file) || file.split("/").includes("..")).toBe(false);
        expect(file).not.toContain("plain.txt");
      }
    }
    const { repos } = JSON.parse((await send({ method: "GET", path: "/api/repos" })).body);
    expect(repos.map(({ id }: { id: string }) => id)).toEqual([test.repoId]);
  });
});
