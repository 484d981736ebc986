// The source of a mail, as SMTP sends it and the mailbox keeps it. Its headers, parts and addresses are nodemailer's, which then would
// make a chain of streams for each part: that takes two thirds of the time.
import { type Mail, smtpMail } from "contract/mail";
import type MimeNode from "nodemailer/lib/mime-node";

export interface WrittenMail {
  readonly source: string;
  readonly sender: string;
  readonly recipients: readonly string[];
}

export async function loadMailWriter(): Promise<(mail: Mail, from: string) => WrittenMail> {
  const [{ default: MailComposer }, { encode, wrap }] = await Promise.all([
    import("nodemailer/lib/mail-composer"),
    import("nodemailer/lib/qp"),
  ]);
  const quoted = (text: string) => wrap(encode(text.replace(/\r?\n/g, "\r\n")));

  /** A picture is bytes, and every text is a string. */
  function sourceOf(node: MimeNode): string {
    // First, because it sets the node's boundary.
    const headers = node.buildHeaders();
    return `${headers}\r\n\r\n${node.multipart ? partsOf(node) : bodyOf(node)}`;
  }
  const partsOf = ({ boundary, childNodes }: MimeNode) =>
    `${childNodes.map((child) => `--${boundary}\r\n${sourceOf(child)}\r\n`).join("")}--${boundary}--\r\n`;
  const bodyOf = ({ content }: MimeNode) =>
    typeof content === "string" ? quoted(content) : inLines(content as Uint8Array);

  return (mail, from) => {
    const { attachments = [], ...parts } = mail;
    const root = new MailComposer({
      ...smtpMail(parts, from),
      attachments: attachments.map((part) => ({ ...part, content: Buffer.from(part.content) })),
      encoding: "quoted-printable",
    }).compile();
    const { from: sender, to: recipients } = root.getEnvelope();
    return { source: sourceOf(root), sender: sender || "", recipients };
  };
}

const inLines = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/.{76}/g, "$&\r\n");
