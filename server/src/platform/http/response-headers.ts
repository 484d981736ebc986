// Adds headers to a service's answer.

/** Headers that the answer already has are kept. */
export function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  try {
    return add(response, headers);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Headers of a redirect or a fetched answer are immutable. Reading `type` to find out would turn every answer into a full
    // Response.
    return add(new Response(response.body, response), headers);
  }
}

function add(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const name in headers) {
    if (!response.headers.has(name)) response.headers.set(name, headers[name]!);
  }
  return response;
}
