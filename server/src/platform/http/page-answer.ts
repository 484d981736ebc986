// One of the server's own pages, which nobody else may cache or frame, and which loads only what its policy allows.

/** `policy`: the directives of its content security policy. */
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
