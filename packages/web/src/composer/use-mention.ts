import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { mentionAt, type Mention } from "./mention.ts";
import { useCompletion, type Completion } from "./use-completion.ts";

export interface Mentions extends Completion<string> {
  /** The repository has more files than the server looked at. */
  readonly isCut: boolean;
  choose(path: string): void;
}

const SHOWN = 20;

/** The files whose paths fit what is typed after an @. */
export function useMention({
  text,
  caret,
  repoId,
  onChoose,
}: {
  readonly text: string;
  readonly caret: number;
  readonly repoId: string | null;
  readonly onChoose: (chosen: { readonly mention: Mention; readonly path: string }) => void;
}): Mentions {
  const mention = mentionAt(text, caret);
  const { data } = useQuery({
    queryKey: ["files", repoId, mention?.query] as const,
    queryFn: ({ signal }) =>
      client.repos.files(repoId ?? "", { query: mention?.query ?? "", limit: SHOWN }, { signal }),
    enabled: repoId !== null && mention !== null,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    // One can go on typing without it.
    retry: false,
  });
  const choose = (path: string): void => {
    if (mention !== null) onChoose({ mention, path });
  };
  const completion = useCompletion({
    text,
    query: mention?.query ?? null,
    items: data?.files ?? [],
    isWhole: (path, typed) => path === typed,
    onChoose: choose,
  });
  return { ...completion, choose, isCut: data?.truncated ?? false };
}
