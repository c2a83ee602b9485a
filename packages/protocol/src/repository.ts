import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { LIMITS } from "./fields/limits.ts";
import { labelSchema } from "./node.ts";
import { timeSchema } from "./fields/time.ts";

export const repositorySchema = z
  .object({
    id: idSchema,
    path: z.string(),
    name: z.string(),
    label: z.string().optional().describe("only nodes with this label have it"),
    createdAt: timeSchema,
  })
  .meta({ id: "Repository", description: "A Git repository that sessions work in." });
export type Repository = z.infer<typeof repositorySchema>;

export const repositoriesReplySchema = z
  .object({ repos: z.array(repositorySchema) })
  .meta({ id: "Repositories" });
export type RepositoriesReply = z.infer<typeof repositoriesReplySchema>;

export const repositoryFilesQuerySchema = z.object({
  query: z
    .string()
    .max(LIMITS.nameLength)
    .default("")
    .describe("letters of the path, in order; the best match comes first"),
  limit: z.coerce.number().int().min(1).max(LIMITS.filePageSize).default(20),
});
export type RepositoryFilesQuery = z.infer<typeof repositoryFilesQuerySchema>;

export const repositoryFilesSchema = z
  .object({
    files: z.array(z.string()).describe("paths from the repository's folder, the best match first"),
    truncated: z
      .boolean()
      .describe("the repository has more files than were looked at: some may be missing here"),
  })
  .meta({ id: "RepositoryFiles" });
export type RepositoryFiles = z.infer<typeof repositoryFilesSchema>;

export const addRepositoryRequestSchema = z
  .strictObject({
    path: z.string().min(1).max(LIMITS.pathLength),
    name: z.string().min(1).max(LIMITS.nameLength).optional(),
    label: labelSchema
      .optional()
      .describe("only nodes with this label have it; without one, all that have its path"),
  })
  .meta({ id: "AddRepositoryRequest" });
export type AddRepositoryRequest = z.infer<typeof addRepositoryRequestSchema>;
