import type { Page } from "@playwright/test";

/** Increases with every call of the function that the page makes from now on. */
export function callsOf(page: Page, rpc: string): readonly string[] {
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith(`/rpc/${rpc}`) && request.method() === "POST") calls.push(request.url());
  });
  return calls;
}
