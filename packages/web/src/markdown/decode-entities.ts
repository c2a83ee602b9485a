/** The entities common in technical texts; others stay unchanged. */
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: "&",
    apos: "'",
    bull: "•",
    copy: "©",
    gt: ">",
    hellip: "…",
    larr: "←",
    ldquo: "“",
    lsquo: "‘",
    lt: "<",
    mdash: "—",
    middot: "·",
    nbsp: "\u00A0",
    ndash: "–",
    quot: '"',
    rarr: "→",
    rdquo: "”",
    rsquo: "’",
    times: "×",
  }),
);

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/giu;

/** Decodes character references. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    ENTITY,
    (whole: string, decimal?: string, hex?: string, name?: string) =>
      (name === undefined ? characterOf(decimal, hex) : NAMED.get(name)) ?? whole,
  );
}

function characterOf(decimal: string | undefined, hex: string | undefined): string | undefined {
  const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const isCharacter = point > 0 && point <= 0x10_ff_ff && (point < 0xd8_00 || point > 0xdf_ff);
  return isCharacter ? String.fromCodePoint(point) : undefined;
}
