import { z } from "zod";
import { SCOPES } from "../../domain/scope.ts";

export const MCP_URL = "/mcp";
/** Of RFC 9728: one for the server, and one that names the protected path. */
export const METADATA_URLS = [
  "/.well-known/oauth-protected-resource",
  `/.well-known/oauth-protected-resource${MCP_URL}`,
] as const;

export const resourceMetadataSchema = z
  .object({
    resource: z.string(),
    resource_name: z.string(),
    bearer_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.enum(SCOPES)),
  })
  .meta({
    id: "ResourceMetadata",
    description: "The metadata of a protected resource (RFC 9728).",
  });
export type ResourceMetadata = z.infer<typeof resourceMetadataSchema>;

/** How clients of MCP learn what kind of token is needed. Tokens are made by administrators: there is no server to ask for one. */
export function mcpMetadata(origin: string): ResourceMetadata {
  return {
    resource: `${origin}${MCP_URL}`,
    resource_name: "Holdfast",
    bearer_methods_supported: ["header"],
    scopes_supported: [...SCOPES],
  };
}

/** The header of a refused request without a token. */
export function mcpChallenge(origin: string): string {
  return `Bearer resource_metadata="${origin}${METADATA_URLS[1]}"`;
}
