import type { Message } from "@holdfast/protocol";

/** Messages for tests, numbered as they are made. */
export function messageMaker(): (
  role: Message["role"],
  content: Message["content"],
  more?: Partial<Message>,
) => Message {
  let seq = 0;
  return (role, content, more = {}) => {
    seq += 1;
    return {
      id: `m${seq}`,
      sessionId: "s",
      runId: "r1",
      seq,
      role,
      content,
      complete: true,
      timestamp: new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString(),
      ...more,
    };
  };
}

export const text = (words: string): Message["content"] => ({ type: "text", text: words });

export const tool = (title: string, more: Record<string, unknown> = {}): Message["content"] => ({
  type: "tool",
  tool: "read",
  args: null,
  result: null,
  title,
  kind: "read",
  status: "completed",
  ...more,
});
