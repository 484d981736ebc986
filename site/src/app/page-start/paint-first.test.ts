import { expect, test } from "vitest";
import { paintFirst } from "./paint-first.ts";

const preloads = ["frame-2", "x", "react-1"]
  .map((name) => `<link rel="modulepreload" href="/assets/${name}.js"/>`)
  .join("");
const start = `<script type="module" async="">import "/assets/x.js";\nimport("/assets/entry.js");</script>`;
const page = `<html><head>${preloads}</head><body>Hi<script>first()</script>${start}</body></html>`;

test("carries its style, and keeps all that fetches script in a template for after the paint", () => {
  const html = paintFirst(page, "p{color:red}");
  expect(html).toMatch(
    /<head><style>p{color:red}<\/style><noscript>.+<\/noscript><script>.+<\/script><\/head><body>Hi<script>first\(\)<\/script>/,
  );
  expect(html).toContain(`<template id="after-paint">${preloads}${start}</template><script>`);
  const [outside] = html.split("<template");
  expect(outside).not.toMatch(/modulepreload|type="module"/);
});

test("runs the large files first, each for itself, in the order of who needs whom", () => {
  const [, script] = paintFirst(page, "").split("</template>");
  expect(script!.match(/import\("[^"]+"\)/g)).toEqual([
    'import("/assets/react-1.js")',
    'import("/assets/frame-2.js")',
  ]);
});

test("refuses a document it does not know", () => {
  expect(() => paintFirst("<html><head></head></html>", "")).toThrow("paint-first.ts");
});
