import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseDescription, type Description } from "./description.ts";
import { html } from "./html.ts";
import { pageHtml } from "./page-html.ts";
import { testApp } from "../testing/test-app.ts";

describe("the documentation page of the API", () => {
  it("shows every operation with a command to try, and every schema", async () => {
    const app = await testApp();
    const { paths, components } = parseDescription((await app.inject("/openapi.json")).json());
    const { body, headers } = await app.inject({
      url: "/docs",
      headers: { host: "localhost:4664" },
    });
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    for (const { operationId } of operations) {
      expect(body).toContain(`<article id="${operationId}">`);
      expect(body).toContain(`href="#${operationId}"`);
    }
    expect(body.match(/<code>curl /gu)).toHaveLength(operations.length);
    for (const name of Object.keys(components.schemas))
      expect(body).toContain(`id="schema-${name}"`);
    const linked = [...body.matchAll(/href="#([\w-]+)"/gu)].map(([, id]) => id);
    expect(linked.filter((id) => !body.includes(`id="${id}"`))).toEqual([]);
    expect(body).toContain("curl &#34;http://localhost:4664/api/sessions/$ID&#34;");
    expect(body).not.toContain("HOLDFAST_TOKEN");
  });

  it("runs and loads nothing: its policy allows only its own style", async () => {
    const { body, headers } = await (await testApp()).inject("/docs");
    expect(body).not.toMatch(/<script|<link|<img|<iframe|src=|url\(|@import| on\w+=/u);
    const style = /<style>([^]*?)<\/style>/u.exec(body)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  it("shows how to send the token if there is one", async () => {
    const { body, statusCode } = await (await testApp({ token: "s3cret" })).inject("/docs");
    expect(statusCode).toBe(200);
    expect(body).toContain("Authorization: Bearer $HOLDFAST_TOKEN");
    expect(body).not.toContain("s3cret");
  });

  it("escapes all text", () => {
    const evil = `<script>alert("1")</script>&'`;
    expect(html`<p title="${evil}">${[evil, null, 1]}</p>`.markup).not.toMatch(/<script|"1"|&'/u);
    const description: Description = {
      info: { title: evil, version: evil, description: evil },
      tags: [{ name: "a", description: evil }],
      paths: {
        [`/${evil}`]: {
          get: {
            operationId: evil,
            summary: evil,
            description: evil,
            tags: ["a"],
            parameters: [{ name: evil, in: evil, schema: { type: evil, description: evil } }],
            responses: { [evil]: { description: evil } },
          },
        },
      },
      components: { schemas: { [evil]: { enum: [evil], properties: { [evil]: {} } } } },
    };
    expect(pageHtml(description, { url: evil, hasToken: false })).not.toContain("<script>");
  });
});
