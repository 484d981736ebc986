// The HTML of a mail as a page for a sandboxed frame: inline pictures come from the mail itself, links open in a new tab, and
// the policy lets nothing run and nothing load from elsewhere.
import { pageAnswer } from "../platform/http/page-answer.ts";
import type { Content, Message } from "./message.ts";

/** The frame may only open links in a new, ordinary tab. */
export const FRAME_SANDBOX = "allow-popups allow-popups-to-escape-sandbox";

/** `origin` is our own: a mail may show pictures from it. */
export function mailHtml(message: Message, contents: readonly Content[], origin: string): Response {
  const body = withPictures(message, contents);
  return pageAnswer(`<!doctype html><base target="_blank">${body}`, [
    "default-src 'none'",
    `img-src data: ${origin}`,
    "font-src data:",
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    `sandbox ${FRAME_SANDBOX}`,
  ]);
}

function withPictures(message: Message, contents: readonly Content[]): string {
  const pictures = new Map(
    message.attachments.flatMap(({ contentId, mimeType }, index) =>
      contentId !== null && mimeType.startsWith("image/")
        ? [
            [
              contentId,
              `data:${mimeType};base64,${Buffer.from(contents[index]!.bytes).toString("base64")}`,
            ] as const,
          ]
        : [],
    ),
  );
  return (message.html ?? "").replace(/cid:([^"'\s)>]+)/gi, (whole, id: string) => {
    return pictures.get(id) ?? pictures.get(safeDecode(id)) ?? whole;
  });
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
