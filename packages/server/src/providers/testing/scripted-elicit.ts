import { fileAppears } from "./scripted-ask.ts";
import type { Elicit } from "./script.ts";
import type { Wire } from "./scripted-wire.ts";

interface AskingPrompt {
  readonly wire: Wire;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** The client's reply as JSON, `withdrawn`, or `error` with its code. */
export async function elicitInput(
  { wire, sessionId, signal }: AskingPrompt,
  { params, withdrawWhen, completeWhen }: Elicit,
): Promise<string> {
  const { id, answer } = wire.ask("elicitation/create", { sessionId, ...params });
  if (completeWhen !== undefined)
    void fileAppears(completeWhen, signal).then(
      () => {
        const { elicitationId } = params;
        wire.send({ method: "elicitation/complete", params: { elicitationId } });
      },
      () => {},
    );
  const withdrawn =
    withdrawWhen === undefined
      ? new Promise<never>(() => {})
      : fileAppears(withdrawWhen, signal).then(() => {
          wire.send({ method: "$/cancel_request", params: { requestId: id } });
          return null;
        });
  const message = await Promise.race([answer, withdrawn]);
  if (message === null) return "withdrawn";
  if (message.error !== undefined) return `error ${message.error.code}`;
  return JSON.stringify(message.result);
}
