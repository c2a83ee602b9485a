import type { AgentTokens } from "../http/guard/agent-token.ts";
import { secretsOfUrl } from "../providers/secrets/secret-values.ts";
import { openSecrets, type Secrets } from "../providers/secrets/secrets.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { AccessTokens } from "../runtime/tokens/access-tokens.ts";
import type { ServeSettings } from "./settings/settings.ts";

/** The secrets of the server itself; providers add those of their agents. */
export function knownSecrets({ token, database }: ServeSettings): Secrets {
  const secrets = openSecrets();
  if (token !== null) secrets.keep([token]);
  if (database.engine === "postgres") {
    for (const url of [database.url, database.directUrl ?? ""]) secrets.keep(secretsOfUrl(url));
  }
  return secrets;
}

/** Tokens of the API are known while they are made or used: only their digests are stored. */
export function noteTokens(tokens: AccessTokens, secrets: Secrets): AccessTokens {
  return {
    ...tokens,
    find: async (secret) => {
      const token = await tokens.find(secret);
      if (token !== null) secrets.note(secret);
      return token;
    },
    create: async (request) => {
      const created = await tokens.create(request);
      if (created.ok) secrets.note(created.secret);
      return created;
    },
  };
}

/** What agents ask with their tools does not pass through their pipes. */
export function withoutSecrets(
  runtime: Runtime,
  secrets: Secrets,
  agentTokens: AgentTokens,
): Runtime {
  return {
    ...runtime,
    askFromAgent: (asked) => {
      secrets.note(agentTokens.of(asked.sessionId));
      return runtime.askFromAgent({ ...asked, request: secrets.redactor.json(asked.request) });
    },
    agentWork: {
      ...runtime.agentWork,
      use: (sessionId, call) => {
        secrets.note(agentTokens.of(sessionId));
        return runtime.agentWork.use(sessionId, secrets.redactor.json(call));
      },
    },
  };
}
