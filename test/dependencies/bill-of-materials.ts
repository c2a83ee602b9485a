import { installed, nameOf, type Dependencies } from "./lock-file.ts";

export const BILL_FILE = "docs/reference/sbom.cdx.json";

/**
 * The packages that users get with Holdfast, as a CycloneDX bill of materials. The same
 * lock file and the same imports give the same text.
 */
export function billOfMaterials({ lock, shipped }: Dependencies): string {
  const components = new Map(
    installed(lock)
      .filter(([path]) => shipped.has(path))
      .map(([path, { version = "", integrity = "", license = "" }]) => {
        const name = nameOf(path);
        const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
        const hash = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
        const component = {
          type: "library",
          "bom-ref": purl,
          name,
          version,
          purl,
          hashes: [{ alg: "SHA-512", content: hash }],
          licenses: [
            license.startsWith("(") ? { expression: license } : { license: { id: license } },
          ],
        };
        return [purl, component] as const;
      }),
  );
  const sorted = [...components.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": "holdfast", name: "holdfast" } },
    components: sorted.map(([, component]) => component),
  };
  return `${JSON.stringify(bill, null, 1)}\n`;
}
