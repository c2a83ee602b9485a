import { expect, it } from "vitest";
import { decodeEntities } from "./decode-entities.ts";

it.each([
  ["a &amp;&amp; b", "a && b"],
  ["&lt;script&gt;", "<script>"],
  ["&#65;&#x42;&#X43;", "ABC"],
  ["&unknown; &toString; &;", "&unknown; &toString; &;"],
  ["&#0;&#xD800;&#9999999;", "&#0;&#xD800;&#9999999;"],
  ["a & b", "a & b"],
])("decodes %j to %j", (written, read) => {
  expect(decodeEntities(written)).toBe(read);
});
