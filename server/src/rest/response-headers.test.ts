// Headers set by SQL replace the service's own, as in PostgREST.
import { expect, test } from "vitest";
import { openRest } from "../../testing/rest.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";

const { rest } = await openRest(`
  create function page() returns text language plpgsql stable as $$ begin
    perform set_config('response.headers',
      '[{"Content-Type": "text/html"}, {"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}]', true);
    return 'x'; end $$`);

test("a header set by SQL replaces ours, and may appear more than once", async () => {
  const answer = await rest.fetch(new Request("http://localhost/rpc/page"), contextOf(CALLERS.anon));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html");
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});
