import { describe as group, expect, it } from "vitest";
import { describe, formatFor, fromDescription, inImgproxysWords, sizes } from "./transformation.ts";

const photo = { width: 1200, height: 800 };
const small = { width: 100, height: 100 };

group("the size of a transformed picture", () => {
  it.each([
    ["cover cuts the middle out", photo, { width: 300, height: 300 }, [450, 300], [300, 300]],
    ["cover is the default for one side too", photo, { width: 300 }, [300, 200], [300, 200]],
    ["contain fits inside", photo, { width: 300, height: 300, resize: "contain" }, [300, 200], [300, 200]],
    ["fill stretches", photo, { width: 300, height: 300, resize: "fill" }, [300, 300], [300, 300]],
    [
      "fill with one side stretches that side alone",
      photo,
      { width: 300, resize: "fill" },
      [300, 800],
      [300, 800],
    ],
    ["nothing grows", small, { width: 400, resize: "contain" }, [100, 100], [100, 100]],
    [
      "cover of a small picture is cut, not enlarged",
      small,
      { width: 400, height: 50 },
      [100, 100],
      [100, 50],
    ],
    [
      "fill of a small picture keeps the proportions asked for",
      small,
      { width: 200, height: 50, resize: "fill" },
      [100, 25],
      [100, 25],
    ],
    ["no options leave it alone", photo, {}, [1200, 800], [1200, 800]],
    [
      "a side is 2,000 pixels at most",
      { width: 9000, height: 3000 },
      { width: 8000 },
      [2000, 667],
      [2000, 667],
    ],
    [
      "a thin picture keeps a pixel",
      { width: 5000, height: 1 },
      { width: 10, resize: "contain" },
      [10, 1],
      [10, 1],
    ],
  ] as const)("%s", (_, source, options, [width, height], [cutWidth, cutHeight]) => {
    expect(sizes(source, options)).toEqual({
      scaled: { width, height },
      cut: { width: cutWidth, height: cutHeight },
    });
  });
});

group("the format", () => {
  it.each([
    ["jpeg", undefined, "image/avif,image/webp,*/*", false, "webp"],
    ["jpeg", undefined, "image/avif,image/webp,*/*", true, "avif"],
    ["jpeg", undefined, "*/*", true, "jpeg"],
    ["png", "origin", "image/webp", true, "png"],
    ["png", "avif", "*/*", true, "avif"],
    ["png", "avif", "*/*", false, "webp"],
    ["avif", "origin", "*/*", false, "webp"],
    ["avif", undefined, "*/*", true, "avif"],
    ["gif", undefined, "image/webp", false, "gif"],
    ["heif", "origin", "*/*", false, "jpeg"],
  ] as const)(
    "of %s, requested as %s, accepting %s, avif bucket %s, is %s",
    (stored, asked, accept, avif, format) => {
      expect(formatFor(stored, asked, accept, avif)).toBe(format);
    },
  );
});

it("survives the round trip through a signed address", () => {
  const options = { width: 300, height: 4000, resize: "contain", quality: 50, format: "avif" } as const;
  expect(describe(options)).toBe("height:2000,width:300,resize:contain,quality:50,format:avif");
  expect(fromDescription(describe(options), "avif")).toEqual({ ...options, height: 2000 });
  expect(fromDescription("", undefined)).toEqual({});
  expect(inImgproxysWords(options)).toBe("height:2000,width:300,resizing_type:fit,quality:50,format:avif");
});
