import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../architecture/read-sources.ts";
import { BILL_FILE, billOfMaterials } from "./bill-of-materials.ts";
import { readDependencies } from "./lock-file.ts";

writeFileSync(join(root, BILL_FILE), billOfMaterials(readDependencies()));
