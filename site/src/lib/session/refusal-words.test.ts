import { expect, it } from "vitest";
import { z } from "zod";
import { FunctionError } from "../api/functions.ts";
import { refusalWords } from "./refusal-words.ts";

const named = (name: string, message: string, code?: string) => ({ name, message, code });

it.each([
  [{ message: "TypeError: Failed to fetch", code: "" }, /could not be reached/],
  [{ message: "<html>Bad Gateway</html>" }, /could not be reached/],
  [new TypeError("Failed to fetch dynamically imported module"), /could not be reached/],
  [new SyntaxError("Unexpected token '<'"), /could not be reached/],
  [named("AuthRetryableFetchError", "{}"), /could not be reached/],
  [named("AuthUnknownError", "Unexpected token '<'"), /could not be reached/],
  [{ message: "canceling statement due to statement timeout", code: "57014" }, /^That did not work/],
  [{ message: "Could not find the function", code: "PGRST202" }, /^That did not work/],
  [{ message: "Only 2 are left.", code: "23514" }, /^Only 2 are left\.$/],
  [
    {
      message:
        'insert or update on table "user_roles" violates foreign key constraint "user_roles_user_id_fkey"',
      code: "23503",
    },
    /^This may have been changed or deleted in the meantime\./,
  ],
  [
    {
      message: 'null value in column "name" of relation "gates" violates not-null constraint',
      code: "23502",
    },
    /^This may have been changed/,
  ],
  [
    { message: 'new row violates row-level security policy for table "user_roles"', code: "42501" },
    /^This may have been changed/,
  ],
  [named("AuthApiError", "Signups not allowed", "signup_disabled"), /^New accounts can't be created/],
  [named("AuthSessionMissingError", "Auth session missing!"), /^Your session has ended/],
  [z.string().safeParse(1).error!, /^That did not work/],
  [new FunctionError(), /could not be reached/],
  [new FunctionError({ code: "not_found", message: "Ask for a new one." }), /^Ask for a new one\.$/],
  [new Error("Please type a number."), /^Please type a number\.$/],
])("explains %j in a sentence", (error, words) => {
  expect(refusalWords(error)).toMatch(words);
});
