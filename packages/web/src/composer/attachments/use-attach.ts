import { errorText } from "@holdfast/client";
import { useCallback, useState } from "react";
import { announce } from "../../app/announce.tsx";
import { newKey } from "../page-outbox.ts";
import { lengthOf, MOST_TOGETHER, type Attachment } from "./attachment.ts";

export interface Attaching {
  readonly attach: (files: readonly File[]) => void;
  /** Why the last files were not attached. */
  readonly problem: string | null;
  readonly clearProblem: () => void;
}

/** Adds files to a message as long as it does not get too large. */
export function useAttach(
  add: (next: (before: readonly Attachment[]) => readonly Attachment[]) => void,
): Attaching {
  const [problem, setProblem] = useState<string | null>(null);
  const attach = useCallback(
    (files: readonly File[]) => {
      setProblem(null);
      const addAll = async (): Promise<void> => {
        const { readAttachment } = await import("./read-attachment.ts");
        for (const file of files) {
          const attachment = await readAttachment(file, newKey());
          add((before) => {
            const after = [...before, attachment];
            if (lengthOf(after) > MOST_TOGETHER) {
              setProblem(`${file.name} does not fit: a message can have 1 MB of attachments.`);
              return before;
            }
            announce(`${attachment.name} attached`);
            return after;
          });
        }
      };
      addAll().catch((error: unknown) => setProblem(errorText(error)));
    },
    [add],
  );
  return { attach, problem, clearProblem: useCallback(() => setProblem(null), []) };
}
