// Takes a delivery report (RFC 3464) as a mail server received it, and records which addresses could not be reached. The sender
// must know BOUNCE_SECRET. The report is shown in the back office and decides nothing.
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { publicFunction } from "../_shared/handler.ts";
import { sameText } from "../_shared/same-text.ts";

/** A report has one entry for each address of a mail; our mails have one address. */
const MOST_ADDRESSES = 50;

/** Answers `{bounced}`: how many addresses the report lists as not reached. */
export const handler = publicFunction(async (request, deps) => {
  checkSecret(request, deps);
  const failed = failedAddresses(await statusOf(await request.arrayBuffer()));
  for (const { email, reason } of failed) {
    await deps.sql("record_mail_bounce", { p_email: email, p_reason: reason, p_reported: true });
  }
  return { bounced: failed.length };
});

function checkSecret(request: Request, { bounceSecret }: FunctionDeps): void {
  if (bounceSecret === undefined) {
    throw new FunctionError("not_found", "Delivery reports are not set up here: BOUNCE_SECRET is not set.");
  }
  if (!sameText(request.headers.get("x-bounce-secret") ?? "", bounceSecret)) {
    throw new FunctionError("forbidden", "The header x-bounce-secret does not hold BOUNCE_SECRET.");
  }
}

/** The machine-readable part of the report; empty if the mail is not a report. */
async function statusOf(mail: ArrayBuffer): Promise<string> {
  const { default: PostalMime } = await import("postal-mime");
  const { attachments } = await PostalMime.parse(mail);
  const content = attachments.find(({ mimeType }) => mimeType === "message/delivery-status")?.content;
  if (content === undefined) return "";
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

/** Delays and successes have the same format and are left out. */
function failedAddresses(status: string): { email: string; reason: string }[] {
  return status
    .replaceAll("\r\n", "\n")
    .split(/\n{2,}/)
    .map(fieldsOf)
    .filter((fields) => fields.get("action")?.toLowerCase() === "failed")
    .slice(0, MOST_ADDRESSES)
    .flatMap((fields) => {
      const email = valueOf(fields.get("final-recipient") ?? fields.get("original-recipient"));
      const reason = valueOf(fields.get("diagnostic-code")) ?? fields.get("status") ?? "No reason was given.";
      return email === undefined ? [] : [{ email, reason }];
    });
}

/** A line that begins with a space belongs to the field before it. */
function fieldsOf(block: string): Map<string, string> {
  const lines = block.replaceAll(/\n[ \t]+/g, " ").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(":");
      return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
}

/** Both are written as "type; value": `rfc822; ana@example.com`, `smtp; 550 5.1.1 …`. */
function valueOf(field: string | undefined): string | undefined {
  return field?.slice(field.indexOf(";") + 1).trim() || undefined;
}
