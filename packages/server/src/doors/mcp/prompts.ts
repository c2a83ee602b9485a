import type { GetPromptResult } from "@modelcontextprotocol/server";
import type { Prompt } from "./surface.ts";

export const prompts: readonly Prompt[] = [
  {
    name: "delegate",
    title: "Delegate a task to an agent",
    description: "Give a task to an agent in a session of its own, and report the result.",
    arguments: [
      { name: "task", description: "what the agent should do", required: true },
      { name: "repository", description: "ID, name or path of the repository", required: false },
      { name: "agent", description: "name of the agent", required: false },
    ],
    get: async ({ task = "", repository, agent }) =>
      userPrompt(
        `Delegate this task to a coding agent with the tools of Holdfast:\n\n${task}\n\n` +
          `1. create_session${repository === undefined ? "" : ` with repository ${JSON.stringify(repository)}`}${agent === undefined ? "" : ` and agent ${JSON.stringify(agent)}`}, with a short title and the workspace "worktree" if the task changes files. Give the whole task as its message, with everything that the agent must know: it does not know this conversation.\n` +
          "2. wait for its run, again and again if it takes long. The agent works on meanwhile.\n" +
          "3. If it waits for an answer, tell the user the question and where it waits. Do not decide for the user.\n" +
          "4. Report what the agent did, the ID of the session, and what is still open.",
      ),
  },
  {
    name: "open_questions",
    title: "Go through open questions",
    description: "Show everything that waits for a person, with what is needed to decide it.",
    arguments: [],
    get: async () =>
      userPrompt(
        "Read list_questions of Holdfast. For each question say in one sentence what the agent wants to do and why, with read_history of its session where that helps. Then ask me about each. Answer a question only as I decide it.",
      ),
  },
  {
    name: "catch_up",
    title: "Catch up on a session",
    description: "Summarise a session: what was asked, what was done, what is open.",
    arguments: [{ name: "session", description: "ID of the session", required: true }],
    get: async ({ session = "" }) =>
      userPrompt(
        `Read the session ${JSON.stringify(session)} of Holdfast with get_session and read_history. Summarise in a few sentences what was asked, what was done, what is open, and what should happen next.`,
      ),
  },
];

function userPrompt(text: string): GetPromptResult {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}
