import { expect, it } from "vitest";
import { githubUser } from "./shapes.ts";

it("reads GitHub's addresses, and skips what is no address", () => {
  const ana = { email: "ana@example.com", verified: true, primary: true };
  const emails = (answer: unknown) =>
    githubUser({ id: 7, login: "ana" }, answer, "https://github.test").emails;
  expect(emails([ana, null, "ana@example.com", {}])).toEqual([ana]);
  expect(emails({ message: "Bad credentials" })).toEqual([]);
});
