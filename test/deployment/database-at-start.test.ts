import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import { holdfast, removeFolder, temporaryFolder } from "../e2e/holdfast-process.ts";

it("a server that cannot reach its database when it starts exits with 2 and names the database", async () => {
  const data = temporaryFolder();
  onTestFinished(() => removeFolder(data));
  const address = `127.0.0.1:${await freePort()}/holdfast`;
  const env = { HOLDFAST_DATABASE_URL: `postgres://ann:s3cret@${address}` };
  const { code, stdout, stderr } = await holdfast(["serve", "--data", data, "--port", "0"], env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^holdfast: PostgreSQL, .*ECONNREFUSED.*\n$/u);
  expect(stderr).toContain(address);
  expect(stderr).not.toContain("s3cret");
});
