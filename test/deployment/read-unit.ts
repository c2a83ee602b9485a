export type Unit = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** The sections of a systemd unit; a key can have several values. */
export function readUnit(text: string): Unit {
  const unit: Record<string, Record<string, string[]>> = {};
  let section: Record<string, string[]> = {};
  for (const line of text.split("\n")) {
    const name = /^\[(\w+)\]$/u.exec(line)?.[1];
    if (name !== undefined) unit[name] = section = {};
    const [, key, value = ""] = /^(\w+)=(.*)$/u.exec(line) ?? [];
    if (key !== undefined) (section[key] ??= []).push(value);
  }
  return unit;
}
