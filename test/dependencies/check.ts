import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../architecture/read-sources.ts";
import { BILL_FILE, billOfMaterials } from "./bill-of-materials.ts";
import { readDependencies } from "./lock-file.ts";
import { violationsOf } from "./violations.ts";

const dependencies = readDependencies();
const bill = readFileSync(join(root, BILL_FILE), "utf8");
const problems = [
  ...violationsOf(dependencies),
  ...(bill === billOfMaterials(dependencies)
    ? []
    : [`${BILL_FILE}: is not that of package-lock.json. Run: npm run sbom`]),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
