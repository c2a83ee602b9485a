import { z } from "zod";
import { nameSchema } from "./fields/body.ts";
import { limitSchema } from "./fields/number.ts";
import { idSchema } from "./fields/identifier.ts";
import { LIMITS } from "./fields/limits.ts";
import { labelSchema } from "./node.ts";
import { timeSchema } from "./fields/time.ts";

export const repositorySchema = z
  .object({
    id: idSchema,
    path: z.string(),
    name: z.string(),
    label: z.string().optional().describe("only nodes with this label have the repository"),
    createdAt: timeSchema,
  })
  .meta({ id: "Repository", description: "A Git repository that sessions work in." });
export type Repository = z.infer<typeof repositorySchema>;

export const repositoriesReplySchema = z
  .object({ repos: z.array(repositorySchema) })
  .meta({ id: "Repositories" });
export type RepositoriesReply = z.infer<typeof repositoriesReplySchema>;

export const foundRepositoriesSchema = z
  .object({
    found: z
      .array(z.object({ path: z.string(), name: z.string() }))
      .describe("repositories in the workspace root that are not added yet, nearest first"),
    truncated: z.boolean().describe("true if the search ended at a limit"),
  })
  .meta({ id: "FoundRepositories" });
export type FoundRepositories = z.infer<typeof foundRepositoriesSchema>;

export const repositoryFilesQuerySchema = z.object({
  query: z.string().max(LIMITS.nameLength).default("").describe("letters of the path, in order"),
  limit: limitSchema(LIMITS.filePageSize, 20),
});
export type RepositoryFilesQuery = z.infer<typeof repositoryFilesQuerySchema>;

export const repositoryFilesSchema = z
  .object({
    files: z.array(z.string()).describe("paths relative to the repository, best match first"),
    truncated: z.boolean().describe("true if the search ended at its limit of files or time"),
  })
  .meta({ id: "RepositoryFiles" });
export type RepositoryFiles = z.infer<typeof repositoryFilesSchema>;

export const addRepositoryRequestSchema = z
  .strictObject({
    path: z.string().min(1).max(LIMITS.pathLength),
    name: nameSchema.optional(),
    label: labelSchema
      .optional()
      .describe(
        "only nodes with this label have the repository; by default, all nodes that have the path",
      ),
  })
  .meta({ id: "AddRepositoryRequest" });
export type AddRepositoryRequest = z.infer<typeof addRepositoryRequestSchema>;
