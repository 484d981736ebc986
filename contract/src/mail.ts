// A mail as it is handed from whoever writes it to whoever sends it.

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Inline pictures are referred to as `cid:NAME` from the HTML. */
  readonly attachments?: readonly {
    filename: string;
    content: Uint8Array;
    contentType: string;
    cid?: string;
  }[];
}

/**
 * Why the mail server refused the address for good: the 5xx answer to it in an error of nodemailer's. Undefined for a failure that
 * may pass.
 */
export function refusedAddress(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "EENVELOPE") return undefined;
  // Without an answer, nodemailer itself found no address in the text.
  const answer = "responseCode" in error ? Number(error.responseCode) : 550;
  return answer >= 500 ? error.message : undefined;
}
