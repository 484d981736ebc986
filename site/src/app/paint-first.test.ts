import { expect, test } from "vitest";
import { paintFirst } from "./paint-first.ts";

const preloads = `<link rel="modulepreload" href="/assets/react-1.js"/><link rel="modulepreload" href="/b.js"/>`;
const start = `<script type="module" async="">import "/assets/react-1.js";\nimport("/b.js");</script>`;
const page = `<html><head>${preloads}</head><body>Hi<script>first()</script>${start}</body></html>`;

test("carries its style, and keeps all that fetches script in a template for after the paint", () => {
  const html = paintFirst(page, "p{color:red}");
  expect(html).toContain("<head><style>p{color:red}</style></head><body>Hi<script>first()</script>");
  expect(html).toContain(`<template id="after-paint">${preloads}${start}</template><script>request`);
  expect(html).toContain('await import("/assets/react-1.js")');
  const [outside] = html.split("<template");
  expect(outside).not.toMatch(/modulepreload|type="module"/);
});

test("refuses a document it does not know", () => {
  expect(() => paintFirst("<html><head></head></html>", "")).toThrow("paint-first.ts");
});
