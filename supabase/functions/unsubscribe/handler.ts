// Ends and resumes the organizers' messages to one address. The token in a message's links is all its bearer needs. A mail program
// posts to the address in the header List-Unsubscribe (RFC 8058), the site's page sends JSON, and a person who follows that address
// is led to the page: scanners of mail follow every link, so a GET changes nothing.
import { unsubscribeSchema, type OptOutAnswer } from "contract/message-opt-outs";
import { mediaTypeOf } from "contract/media-types";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { publicFunction, readBody } from "../_shared/handler.ts";
import { unsubscribePage } from "../_shared/mail/opt-out-links.ts";

const FORMS = ["application/x-www-form-urlencoded", "multipart/form-data"];

/** No limit for each address: thousands of people press the button of the same mail provider. */
export const handler = publicFunction(
  async (request, deps) => {
    const token = new URL(request.url).searchParams.get("token") ?? "";
    if (request.method === "GET") {
      return new Response(null, { status: 303, headers: { location: unsubscribePage(deps, token) } });
    }
    if (FORMS.includes(mediaTypeOf(request) ?? "")) return oneClick(request, deps, token);
    const body = await readBody(request, unsubscribeSchema);
    return answer(deps, body.token, body.wanted);
  },
  ["GET", "POST"],
);

async function oneClick(request: Request, deps: FunctionDeps, token: string): Promise<OptOutAnswer> {
  const form = await request.formData().catch(() => undefined);
  if (form?.get("List-Unsubscribe") !== "One-Click") {
    throw new FunctionError("invalid_request", "The form must hold List-Unsubscribe=One-Click.");
  }
  const answered = await answer(deps, token, false);
  if (answered.state === "unknown") throw new FunctionError("not_found", "This link is not one of ours.");
  return answered;
}

async function answer(deps: FunctionDeps, token: string, wanted?: boolean): Promise<OptOutAnswer> {
  const state = await deps.sql("answer_opt_out", {
    p_token: token,
    p_wanted: wanted ?? null,
  });
  return { state };
}
