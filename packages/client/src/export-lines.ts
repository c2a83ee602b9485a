import { BUNDLE_MEDIA_TYPE } from "@holdfast/protocol";
import { textChunks, type Connection, type Request } from "./connection.ts";

/** A bundle as it arrives, line by line. Throws when it breaks off: half a bundle is none. */
export async function* exportLines(
  { open }: Connection,
  request: Request,
): AsyncGenerator<string, void, undefined> {
  const response = await open({ ...request, headers: { accept: BUNDLE_MEDIA_TYPE } });
  let rest = "";
  for await (const text of textChunks(response, request)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
