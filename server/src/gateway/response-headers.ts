// Headers that are added to an answer somebody else made.

/** Leaves what the answer says itself as it is. */
export function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  try {
    return add(response, headers);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // A redirect's headers, and those of an answer from elsewhere, cannot be changed. Asking for `type` beforehand would
    // make a whole Response of every answer.
    return add(new Response(response.body, response), headers);
  }
}

function add(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const name in headers) {
    if (!response.headers.has(name)) response.headers.set(name, headers[name]!);
  }
  return response;
}
