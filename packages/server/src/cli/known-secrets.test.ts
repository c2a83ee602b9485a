import { expect, it } from "vitest";
import { createAgentTokens } from "../http/guard/agent-token.ts";
import { runtimeWith } from "../http/testing/runtime-stub.ts";
import { openSecrets } from "../providers/secrets/secrets.ts";
import type { WorkCall } from "../runtime/keep/agent-work.ts";
import { withoutSecrets } from "./known-secrets.ts";

it("what an agent commits or offers contains no secret, not even its own token (D7)", async () => {
  const secrets = openSecrets();
  secrets.keep(["a-known-secret-of-the-server"]);
  const tokens = createAgentTokens();
  const used: WorkCall[] = [];
  const runtime = withoutSecrets(
    runtimeWith({
      agentWork: {
        tools: async () => ({ ok: true, tools: [] }),
        use: async (_, call) => {
          used.push(call);
          return { ok: true, isDone: true, text: "" };
        },
      },
    }),
    secrets,
    tokens,
  );
  const body = `Fixes login with a-known-secret-of-the-server and ${tokens.of("s1")}`;
  await runtime.agentWork.use("s1", { tool: "open_pull_request", title: "Fix login", body });
  expect(used).toMatchObject([{ tool: "open_pull_request", title: "Fix login" }]);
  const [shown] = used.map((call) => JSON.stringify(call));
  expect(shown).not.toContain("a-known-secret");
  expect(shown).not.toContain(tokens.of("s1"));
});
