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
