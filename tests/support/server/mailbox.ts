// Reads the local mailbox as a person would: the newest mail to an address, waiting until it arrives.
import { expect } from "@playwright/test";

export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly attachments: readonly { readonly filename: string; readonly mimeType: string }[];
}

export interface Mailbox {
  /** The newest mail to the address whose subject matches; fails after 20 s without one. */
  newest(to: string, subject: RegExp): Promise<Mail>;
}

export function createMailbox(url: string): Mailbox {
  return {
    async newest(to, subject) {
      let found: Mail | undefined;
      await expect
        .poll(
          async () => {
            const answer = await fetch(`${url}/api/messages?to=${encodeURIComponent(to)}`);
            const { messages } = (await answer.json()) as { messages: Mail[] };
            found = messages.find((mail) => subject.test(mail.subject));
            return messages.map((mail) => mail.subject);
          },
          { message: `a mail to ${to} about ${subject}`, timeout: 20_000 },
        )
        .toContainEqual(expect.stringMatching(subject));
      return found!;
    },
  };
}

/** The code to type. */
export const codeIn = ({ text }: Pick<Mail, "text">): string => /code is (\d{6})/.exec(text)![1]!;

/** The first link of the text part that contains the word. */
export function linkIn(mail: Mail, containing: string): string {
  const link = mail.text.match(/https?:\/\/[^\s<>)"]+/g)?.find((address) => address.includes(containing));
  expect(link, `a link with ${containing} in:\n${mail.text}`).toBeDefined();
  return link!;
}
