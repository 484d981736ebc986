import { expect, test } from "vitest";
import { paintFirst } from "./paint-first.ts";

const preloads = ["frame-2", "x", "react-1"]
  .map((name) => `<link rel="modulepreload" href="/assets/${name}.js"/>`)
  .join("");
const start = `<script type="module" async="">import "/assets/x.js";\nimport("/assets/entry.js");</script>`;
const page = `<html><head>${preloads}</head><body>Hi<script>first()</script>${start}</body></html>`;

test("inlines its style sheet, and keeps what fetches script in a template until the paint", () => {
  const html = paintFirst(page, "p{color:red}", "<data></data>");
  expect(html).toMatch(
    /<head><style>p{color:red}<\/style><noscript>.+<\/noscript><script>.+<\/script><\/head><body>Hi<script>first\(\)<\/script>/,
  );
  expect(html).toContain(`<template id="after-paint">${preloads}${start}</template><script>`);
  const [outside] = html.split("<template");
  expect(outside).not.toMatch(/modulepreload|type="module"/);
});

test("refuses a document of another shape", () => {
  expect(() => paintFirst("<html><head></head></html>", "", "")).toThrow("paint-first.ts");
});
