// The picture of an entry code, for an <img>, which sends no token: whoever has the URL in the code's row has the code. A refund,
// transfer or reissue takes that URL from the row, and it opens nothing from then on.
import { z } from "zod";
import { findCode } from "../_shared/entry-codes.ts";
import { FunctionError } from "../_shared/errors.ts";
import { publicFunction } from "../_shared/handler.ts";
import { drawQrCode } from "../_shared/qr-picture.ts";
import { sameText } from "../_shared/same-text.ts";

const query = z.object({ code: z.uuid(), key: z.string().min(1) });

export const handler = publicFunction(
  async (request, deps) => {
    const asked = query.safeParse(Object.fromEntries(new URL(request.url).searchParams)).data;
    const found = asked && (await findCode(deps, asked.code));
    if (!found?.qr_code_data || !found.qr_code_url || !sameText(keyOf(found.qr_code_url), asked!.key)) {
      throw new FunctionError("not_found", "There is no such picture.");
    }
    return new Response(drawQrCode(found.qr_code_data), {
      headers: { "content-type": "image/png", "cache-control": "private, max-age=31536000, immutable" },
    });
  },
  ["GET"],
);

/** Empty for a URL without one, which opens nothing. */
const keyOf = (url: string): string => URL.parse(url)?.searchParams.get("key") ?? "";
