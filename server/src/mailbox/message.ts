// Parses mails with postal-mime, which loads with the first one, and caches them without the contents of their attachments.
// The result is the mailbox's JSON.
import type { Address, Attachment, Email } from "postal-mime";
import { ENVELOPE_RECIPIENTS } from "./envelope.ts";
import { receivedAt, type Store } from "./store.ts";
import { TEXT_MARK } from "./text-message.ts";

export interface MessageAddress {
  readonly name: string;
  readonly address: string;
}

export interface MessageAttachment {
  readonly filename: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** The id the HTML refers to as `cid:…`; null for an attachment that it does not show. */
  readonly contentId: string | null;
  /** Path of the content. */
  readonly url: string;
}

export interface Message {
  readonly id: string;
  /** A text has a phone number as its recipient, and neither a subject nor a sender. */
  readonly kind: "mail" | "text";
  /** ISO 8601. */
  readonly receivedAt: string;
  readonly from: MessageAddress | null;
  /** The To line. */
  readonly to: readonly MessageAddress[];
  /** Everyone it was delivered to, Cc and Bcc too, in lower case. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** As sent; null for a mail without HTML. */
  readonly html: string | null;
  readonly attachments: readonly MessageAttachment[];
  /** Path of the mail's page. */
  readonly url: string;
}

export interface Content {
  readonly mimeType: string;
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Reader {
  message(id: string): Promise<Message | undefined>;
  /** The contents of a mail's attachments, in the same order. */
  contents(id: string): Promise<Content[] | undefined>;
  /** Newest first; `to` is a recipient's whole address. */
  messages(wanted: { to?: string | undefined; offset?: number; limit: number }): Promise<Message[]>;
}

const REMEMBERED = 500;

export function createReader(store: Store): Reader {
  const remembered = new Map<string, Message>();

  async function parse(id: string): Promise<Email | undefined> {
    const content = await store.read(id);
    if (!content) return undefined;
    const { default: PostalMime } = await import("postal-mime");
    return PostalMime.parse(content);
  }

  async function message(id: string): Promise<Message | undefined> {
    const known = remembered.get(id);
    if (known) return known;
    const mail = await parse(id).catch(unreadable);
    if (!mail) return undefined;
    const read = toMessage(id, mail);
    if (remembered.size >= REMEMBERED) remembered.delete(remembered.keys().next().value!);
    remembered.set(id, read);
    return read;
  }

  return {
    async message(id) {
      // A cached mail may have been removed since.
      return (await store.ids()).includes(id) ? message(id) : undefined;
    },
    async contents(id) {
      return (await parse(id))?.attachments.map((part, index) => ({
        mimeType: part.mimeType,
        filename: filenameOf(part, index),
        bytes: bytesOf(part),
      }));
    },
    async messages({ to, offset = 0, limit }) {
      const found: Message[] = [];
      const ids = await store.ids();
      const wanted = to?.trim().toLowerCase();
      for (const id of wanted === undefined ? ids.slice(offset, offset + limit) : ids) {
        const read = await message(id);
        if (read && (wanted === undefined || read.recipients.includes(wanted))) found.push(read);
        if (wanted !== undefined && found.length === offset + limit) break;
      }
      return wanted === undefined ? found : found.slice(offset);
    },
  };
}

function toMessage(id: string, mail: Email): Message {
  const envelope = mail.headers.find(({ key }) => key === ENVELOPE_RECIPIENTS)?.value ?? "";
  const url = `/mailbox/${id}`;
  return {
    id,
    kind: mail.headers.some(({ key }) => key === TEXT_MARK) ? "text" : "mail",
    receivedAt: new Date(receivedAt(id)).toISOString(),
    from: mail.from ? (addresses([mail.from])[0] ?? null) : null,
    to: addresses(mail.to),
    recipients: envelope.toLowerCase().split(/,\s*/).filter(Boolean),
    subject: mail.subject ?? "",
    text: mail.text ?? "",
    html: mail.html ?? null,
    attachments: mail.attachments.map((part, index) => ({
      filename: filenameOf(part, index),
      mimeType: part.mimeType,
      size: bytesOf(part).byteLength,
      contentId: part.contentId?.replace(/^<|>$/g, "") ?? null,
      url: `${url}/attachments/${index}`,
    })),
    url,
  };
}

/** A mail that cannot be parsed still has a page and its raw text. */
function unreadable(error: unknown): Email {
  const text = `This mail could not be read: ${(error as Error).message}`;
  return { headers: [], headerLines: [], attachments: [], subject: "(unreadable)", text };
}

const addresses = (list: readonly Address[] = []): MessageAddress[] =>
  list.flatMap((entry) => entry.group ?? [entry]).map(({ name, address }) => ({ name, address }));

const filenameOf = (part: Attachment, index: number): string => part.filename ?? `attachment-${index + 1}`;

const bytesOf = ({ content }: Attachment): Uint8Array<ArrayBuffer> =>
  typeof content === "string" ? new Uint8Array(Buffer.from(content)) : new Uint8Array(content);
