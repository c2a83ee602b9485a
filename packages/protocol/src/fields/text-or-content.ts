interface Body {
  readonly text?: unknown;
  readonly content?: unknown;
}

/** Arguments of `refine` for a body that carries a message either as `text` or as `content`. */
export const TEXT_OR_CONTENT = [
  ({ text, content }: Body): boolean => (text === undefined) !== (content === undefined),
  "must have either text or content",
] as const;
