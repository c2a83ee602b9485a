/** Splits chunks of any size into lines, without their newlines. */
export function createOrderLines(onLine: (line: Buffer) => void) {
  let begun: Buffer[] = [];
  return {
    push(chunk: Buffer): void {
      let rest = chunk;
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
        begun.push(rest.subarray(0, end));
        const line = begun.length === 1 ? (begun[0] ?? rest) : Buffer.concat(begun);
        begun = [];
        rest = rest.subarray(end + 1);
        onLine(line);
      }
      if (rest.length > 0) begun.push(rest);
    },
  };
}

const NEWLINE = 0x0a;
