// What a printed or mailed address meant.
import { expect, it } from "vitest";
import { meantPath } from "./meant-path.ts";

it("keeps what lies between the first and the last letter or figure, in lower case", () => {
  for (const [path, meant] of [
    ["/ABOUT", "/about"],
    ["//About//Us).\n", "/about/us"],
    ["/É1”", "/é1"],
    ["/a", "/a"],
    ["/7", "/7"],
    ["/\n(a\nb)", "/a\nb"],
    ["//.", "/"],
    ["", "/"],
  ]) {
    expect([path, meantPath(path!)]).toEqual([path, meant]);
  }
});

it("reads a path of 15,000 slashes or dashes in no time", () => {
  for (const repeated of ["/", "-", "a/", "\u00a0"]) {
    const path = `/a${repeated.repeat(15_000 / repeated.length)}`;
    const begun = performance.now();
    for (const ending of ["a", "", "/."]) meantPath(path + ending);
    expect(performance.now() - begun).toBeLessThan(100);
  }
});
