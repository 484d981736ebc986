// How a function answers what it did not expect.
import { expect, it } from "vitest";
import { refusal } from "./handler.ts";
import { DatabaseFailure } from "./database.ts";

async function answerTo(error: unknown) {
  const lines: string[] = [];
  const log = { info() {}, warn() {}, error: (_: object, message: string) => void lines.push(message) };
  const answer = refusal(error, { log });
  const { error: body } = (await answer.json()) as { error: { code: string } };
  return { status: answer.status, code: body.code, retryAfter: answer.headers.get("retry-after"), lines };
}

it("a database that is too busy is a refusal to retry, not a failure", async () => {
  const message = "The request took too long while others waited for a connection.";
  const busy = new DatabaseFailure("consume_rate_limit", { message, code: "PGRST003" });
  expect(await answerTo(busy)).toEqual({ status: 503, code: "too_busy", retryAfter: "5", lines: [] });
});

it("any other failure of the database is logged, and answered without detail", async () => {
  const failure = new DatabaseFailure("confirm_order", { message: "no such function", code: "PGRST202" });
  const lines = ["Something went wrong on our side. Please try again."];
  expect(await answerTo(failure)).toEqual({ status: 500, code: "internal_error", retryAfter: null, lines });
});

it.each(["PGRST001", "53100", "57P03"])(
  "a database that is unavailable (%s) is a refusal to retry, and is logged",
  async (code) => {
    const gone = new DatabaseFailure("reserve_in_turn", { message: "could not extend file", code });
    const lines = ["We can't do this right now. Please try again in a minute."];
    expect(await answerTo(gone)).toEqual({ status: 503, code: "unavailable", retryAfter: "5", lines });
  },
);
