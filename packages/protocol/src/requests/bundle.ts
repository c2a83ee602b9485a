/** What an exported session is on the wire: one JSON value a line. */
export const BUNDLE_MEDIA_TYPE = "application/jsonl";
