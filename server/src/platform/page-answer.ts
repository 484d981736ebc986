// A page that is this server's own and nobody else's to keep, frame or read further than its policy says.

/** `policy` are the directives of its content security policy. */
export const pageAnswer = (document: string, policy: readonly string[], status = 200): Response =>
  new Response(document, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-security-policy": policy.join("; "),
    },
  });
