import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameOf, routesOf } from "../route-list.ts";
import { complaintAbout, openFuzzRig, OUTSIDE, WITH_TOKEN, type FuzzRig } from "./fuzz-rig.ts";
import { PATH_PAYLOADS } from "./nasty.ts";
import type { Answer, Asked } from "./wire.ts";

let rig: FuzzRig;
beforeAll(async () => {
  rig = await openFuzzRig();
});
afterAll(() => rig.close());

const ask = (asked: Asked): Promise<Answer> =>
  rig.wire.ask({ ...asked, headers: { ...WITH_TOKEN, ...asked.headers } });

describe("paths", () => {
  it("that lead elsewhere, lie or do not end are refused on every parameter of every route", async () => {
    const complaints: string[] = [];
    let made = 0;
    for (const route of routesOf(rig.app).filter(({ method }) => method !== "HEAD")) {
      const parameters = [...route.url.matchAll(/:\w+/gu)].map(([name]) => name);
      for (const parameter of parameters) {
        for (const payload of PATH_PAYLOADS) {
          const url = route.url.replace(parameter, () => payload).replaceAll(/:\w+/gu, "none");
          made += 1;
          const answer = await ask({ method: route.method, path: url });
          const complaint =
            complaintAbout(answer) ??
            (answer.headers["set-cookie"] === undefined ? null : "let a header in") ??
            (answer.status >= 400 || takesAnyName(route.url) || isElsewhere(url)
              ? null
              : `answered ${answer.status}`);
          if (complaint !== null)
            complaints.push(`${nameOf(route)} with ${payload.slice(0, 60)} → ${complaint}`);
        }
      }
    }
    expect(complaints).toEqual([]);
    expect(made).toBeGreaterThan(900);
    await rig.expectSound();
  });

  /** There is no such session, and that is the answer; an event may have any name, and nobody waits for this one. */
  const takesAnyName = (url: string): boolean =>
    url.endsWith("/should-resume") || url === "/api/events/:name";

  /** No parameter is left: `/api/sessions/.` is another address, of which others answer. */
  const isElsewhere = (url: string): boolean => /\/\.{1,2}(\/|$)/u.test(url);

  it("reach no file beside the page's own", async () => {
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
      const answer = await ask({ method: "GET", path: url });
      const seen = { url: url.slice(0, 100), complaint: complaintAbout(answer) };
      expect(seen).toEqual({ ...seen, complaint: null });
      expect(answer.body).not.toMatch(/root:.*:0:0:/u);
    }
  });

  it("of repositories stay inside the root: by name, by link, by encoding, by what is in them", async () => {
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
    for (const named of wrong) {
      const answer = await ask({
        method: "POST",
        path: "/api/repos",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ path: named }),
      });
      const seen = {
        named: named.slice(0, 60),
        isRefused: [400, 403, 404, 409].includes(answer.status),
        complaint: complaintAbout(answer),
      };
      expect(seen).toEqual({ ...seen, isRefused: true, complaint: null });
    }
    const queries = ["../", "..%2f", "/etc/passwd", "%00", "plain", "secret", "inside-link", "."];
    for (const query of queries) {
      const answer = await ask({
        method: "GET",
        path: `/api/repos/${test.repoId}/files?query=${query}`,
      });
      expect(complaintAbout(answer)).toBeNull();
      expect(answer.status).toBe(200);
      const { files } = JSON.parse(answer.body);
      for (const file of files) {
        expect(path.isAbsolute(file) || file.split("/").includes("..")).toBe(false);
        expect(file).not.toContain("plain.txt");
      }
    }
    const { repos } = JSON.parse((await ask({ method: "GET", path: "/api/repos" })).body);
    expect(repos.map(({ id }: { id: string }) => id)).toEqual([test.repoId]);
  });
});
