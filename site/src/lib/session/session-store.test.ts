import type { Session } from "@supabase/supabase-js";
import { expect, it } from "vitest";
import { lacksStep } from "./session-store.ts";

const session = (claims: object, factors = [{ status: "verified" }]) =>
  ({
    user: { factors },
    access_token: `head.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`,
  }) as Session;

it.each([
  ["was taken", { aal: "aal2", user_metadata: { name: "Ñandú" } }, false],
  ["was not taken", { aal: "aal1" }, true],
  ["is only written in what the user says", { aal: "aal1", user_metadata: { aal: "aal2" } }, true],
])("reports whether the second step is lacking when it %s", (_what, claims, lacks) => {
  expect(lacksStep(session(claims))).toBe(lacks);
});

it("lacks none where there is none", () => {
  expect(lacksStep(session({ aal: "aal1" }, []))).toBe(false);
});
