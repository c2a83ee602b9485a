import { z } from "zod";
import { idSchema } from "./identifier.ts";
import { LIMITS } from "./limits.ts";
import { timeSchema } from "./time.ts";

export const repositorySchema = z
  .object({ id: idSchema, path: z.string(), name: z.string(), createdAt: timeSchema })
  .meta({ id: "Repository", description: "A Git repository that sessions work in." });
export type Repository = z.infer<typeof repositorySchema>;

export const repositoriesReplySchema = z
  .object({ repos: z.array(repositorySchema) })
  .meta({ id: "Repositories" });
export type RepositoriesReply = z.infer<typeof repositoriesReplySchema>;

export const addRepositoryRequestSchema = z
  .strictObject({
    path: z.string().min(1).max(LIMITS.pathLength),
    name: z.string().min(1).max(LIMITS.nameLength).optional(),
  })
  .meta({ id: "AddRepositoryRequest" });
export type AddRepositoryRequest = z.infer<typeof addRepositoryRequestSchema>;
