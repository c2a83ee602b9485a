import { repositoryFilesSchema, repositorySchema } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type { FindFiles } from "../../runtime/runtime.ts";
import { NOON, refusal } from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

describe("a repository's label", () => {
  it("is accepted and returned if there is one", async () => {
    const requests: unknown[] = [];
    const app = await testApp({
      runtime: {
        addRepo: async (request) => {
          requests.push(request);
          const { label } = request;
          const stored = { id: "r1", path: "/code/r", name: "r", createdAt: NOON };
          return { ok: true, repo: label === undefined ? stored : { ...stored, label } };
        },
      },
    });
    const add = (payload: object) => app.inject({ method: "POST", url: "/api/repos", payload });
    const wire = { id: "r1", path: "/code/r", name: "r", createdAt: "2026-01-31T12:00:00.000Z" };
    const labelled = await add({ path: "/code/r", label: "gpu" });
    expect(repositorySchema.strict().parse(labelled.json())).toEqual({ ...wire, label: "gpu" });
    expect((await add({ path: "/code/r" })).json()).toEqual(wire);
    expect(requests).toEqual([
      { path: "/code/r", name: null, label: "gpu" },
      { path: "/code/r", name: null },
    ]);
    for (const label of ["", "a b", "a,b", "x".repeat(101), 7]) {
      const refused = await add({ path: "/code/r", label });
      expect([label, refused.statusCode, refused.json().errors[0].field]).toEqual([
        label,
        400,
        "label",
      ]);
    }
  });
});

describe("the files of a repository", () => {
  it("are found by letters of their paths, 20 by default", async () => {
    const requests: FindFiles[] = [];
    const app = await testApp({
      runtime: {
        findFiles: async (request) => {
          requests.push(request);
          return { ok: true, files: ["src/parse.ts"], truncated: true };
        },
      },
    });
    const reply = await app.inject("/api/repos/repo1/files?query=src%2Fpa&limit=100");
    expect(repositoryFilesSchema.strict().parse(reply.json())).toEqual({
      files: ["src/parse.ts"],
      truncated: true,
    });
    await app.inject("/api/repos/repo1/files");
    expect(requests).toEqual([
      { repoId: "repo1", query: "src/pa", limit: 100 },
      { repoId: "repo1", query: "", limit: 20 },
    ]);
  });

  it.each([
    ["repository_not_found", 404],
    ["path_not_found", 404],
    ["path_outside_root", 403],
    ["not_a_repository", 409],
  ] as const)("of a repository that is refused with %s are a %i", async (code, status) => {
    const app = await testApp({ runtime: { findFiles: async () => refusal({ code }) } });
    const reply = await app.inject("/api/repos/repo1/files?query=a");
    expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
  });

  it("are requested within limits", async () => {
    const app = await testApp();
    for (const query of ["limit=0", "limit=101", `query=${"x".repeat(201)}`]) {
      const reply = await app.inject(`/api/repos/repo1/files?${query}`);
      expect([query, reply.statusCode]).toEqual([query, 400]);
    }
  });
});
