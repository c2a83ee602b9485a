/** What claude-agent-acp 0.99 sends for AskUserQuestion with two questions. */
export const ASKED_BY_CLAUDE = {
  type: "object",
  properties: {
    question_0: {
      type: "string",
      title: "Database",
      description: "Which database should the service use?",
      oneOf: [
        {
          const: "SQLite",
          title: "SQLite",
          description: "One file, no server",
          _meta: { "_claude/askUserQuestionOption": { preview: "data/\n  app.db" } },
        },
        { const: "PostgreSQL", title: "PostgreSQL", description: "Several nodes" },
      ],
    },
    question_0_custom: {
      type: "string",
      title: "Other",
      description: "Type your own answer, or add a note to the option you chose above (optional).",
    },
    question_1: {
      type: "array",
      title: "Checks",
      description: "Which checks should run?",
      items: {
        anyOf: [
          { const: "Types", title: "Types", description: "The TypeScript compiler" },
          { const: "Lint", title: "Lint" },
          { const: "Tests", title: "Tests" },
        ],
      },
    },
    question_1_custom: {
      type: "string",
      title: "Other",
      description: "Type your own answer to add to your selection above (optional).",
    },
  },
};

/** What codex-acp 2.6 sends for request_user_input. */
export const ASKED_BY_CODEX = {
  type: "object",
  properties: {
    place: {
      title: "Where should it be deployed?",
      description: "Place",
      _meta: { codex: { isOther: true, isSecret: false } },
      type: "string",
      oneOf: [
        { const: "Staging", title: "Staging", description: "Nobody notices" },
        { const: "Production", title: "Production" },
        {
          const: "None of the above",
          title: "None of the above",
          description: "Provide a different answer in the note field.",
        },
      ],
    },
    place_note: {
      type: "string",
      title: "Additional answer or note",
      _meta: { codex: { questionId: "place", role: "user_note", isSecret: false } },
    },
    key: {
      title: "Which key should it use?",
      _meta: { codex: { isOther: false, isSecret: true } },
      type: "string",
    },
  },
  required: ["place", "key"],
};
