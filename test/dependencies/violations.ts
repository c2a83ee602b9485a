import { installed, nameOf, type Dependencies, type LockFile } from "./lock-file.ts";

/** Users get these packages with Holdfast. */
const SHIPPED_LICENCES = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
];
/** Tools and tests, which nobody gets. */
const TOOL_LICENCES = [...SHIPPED_LICENCES, "CC-BY-4.0", "CC0-1.0", "MPL-2.0"];

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/u;
/** SHA-512 in base64: 64 bytes. */
const INTEGRITY = /^sha512-[\w+/]{86}==$/u;

/** Rules that can be checked without a network, so that a change of the lock file cannot slip in unseen. */
export function violationsOf({ lock, manifests, shipped }: Dependencies): readonly string[] {
  const [repository] = Object.values(manifests);
  const workspaces = repository?.workspaces ?? [];
  const allowed = repository?.allowScripts ?? {};
  return [
    ...(lock.lockfileVersion === 3 ? [] : ["package-lock.json: not of version 3"]),
    ...Object.entries(manifests).flatMap(([file, manifest]) =>
      [
        manifest.dependencies,
        manifest.devDependencies,
        manifest.optionalDependencies,
        manifest.overrides,
      ]
        .flatMap((versions) => Object.entries(versions ?? {}))
        .filter(([, version]) => !EXACT.test(version))
        .map(([name, version]) => `${file}: ${name}@${version} is not an exact version`),
    ),
    ...linkViolations(lock, workspaces),
    ...installed(lock).flatMap(([path, locked]) => {
      const { version = "", integrity = "", resolved, license = "none" } = locked;
      const id = `${nameOf(path)}@${version}`;
      const licences = shipped.has(path) ? SHIPPED_LICENCES : TOOL_LICENCES;
      return [
        EXACT.test(version) ? null : `${path}: ${version} is not a version of a registry`,
        INTEGRITY.test(integrity) || locked.inBundle === true ? null : `${id}: has no SHA-512 hash`,
        // Without an address npm uses the registry that is configured, and nothing else.
        resolved === undefined ? null : `${id}: comes from ${resolved}, not from the registry`,
        choicesOf(license).some((choice) => licences.includes(choice))
          ? null
          : `${id}: the licence ${license} is not allowed`,
        locked.hasInstallScript !== true || id in allowed || nameOf(path) in allowed
          ? null
          : `${id}: runs a script when it is installed, and allowScripts does not decide about it`,
      ].filter((text) => text !== null);
    }),
    ...Object.entries(allowed)
      .filter(
        ([name, isAllowed]) => isAllowed && !EXACT.test(name.slice(name.lastIndexOf("@") + 1)),
      )
      .map(([name]) => `allowScripts: ${name} is allowed for every version`),
  ];
}

function linkViolations({ packages }: LockFile, workspaces: readonly string[]): readonly string[] {
  return Object.entries(packages)
    .filter(([, { link, resolved = "" }]) => link === true && !workspaces.includes(resolved))
    .map(([path, { resolved }]) => `${path}: is a link to ${resolved}, which is no workspace`);
}

/** `(MIT OR CC0-1.0)` can be used under either. An expression with AND is none of the allowed licences. */
function choicesOf(license: string): readonly string[] {
  return license.replace(/^\(|\)$/gu, "").split(" OR ");
}
