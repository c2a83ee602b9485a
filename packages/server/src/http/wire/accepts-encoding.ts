import type { FastifyRequest } from "fastify";

/** Whether the client takes a body in this encoding. */
export function acceptsEncoding(
  { headers }: FastifyRequest,
  encoding: "br" | "gzip" | "zstd",
): boolean {
  const encodings = String(headers["accept-encoding"] ?? "").split(",");
  return encodings.some((accepted) => {
    const [name = "", ...options] = accepted.split(";").map((part) => part.trim().toLowerCase());
    return name === encoding && !options.some((option) => /^q=0(\.0*)?$/u.test(option));
  });
}
