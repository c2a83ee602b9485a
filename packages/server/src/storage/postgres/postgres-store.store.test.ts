import { describe } from "vitest";
import { storeContract } from "../testing/contract/store-contract.ts";
import { openTestStore } from "../testing/test-database.ts";

describe("postgres store", () => {
  storeContract(() => openTestStore("postgres"));
});
