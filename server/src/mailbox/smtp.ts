// The SMTP side: accepts any mail from this machine and stores it. Hides the envelope, which it writes into the mail as
// headers so that hidden recipients can be found too.
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import type { Log } from "../platform/log.ts";
import type { Store } from "./store.ts";

const LARGEST_MAIL = 25 * 1024 * 1024;

export const ENVELOPE_RECIPIENTS = "x-envelope-to";

export async function openSmtp(store: Store, log: Log): Promise<{ url: string; close(): Promise<void> }> {
  const server = new SMTPServer({
    banner: "mailbox of this machine; nothing is sent on",
    // No certificate, no accounts, no name look-ups, because it listens on loopback only.
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    size: LARGEST_MAIL,
    rejectOversized: true,
    closeTimeout: 1000,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => {
        if (!stream.sizeExceeded) chunks.push(chunk);
      });
      stream.on("error", (error: Error) => done(error));
      stream.on("end", () => {
        if (stream.sizeExceeded) return done();
        store.save(Buffer.concat([envelopeOf(session), ...chunks])).then(
          () => done(),
          (error: unknown) => {
            log.error({ err: error }, "mailbox: mail not kept");
            done(new Error("The mailbox could not keep the mail"));
          },
        );
      });
    },
  });
  server.on("error", (error: Error) => log.warn({ err: error }, "mailbox: SMTP connection failed"));
  await new Promise<void>((ready, fail) => {
    server.server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      server.server.off("error", fail);
      ready();
    });
  });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}

function envelopeOf({ envelope }: SMTPServerSession): Buffer {
  const recipients = envelope.rcptTo.map(({ address }) => address).join(", ");
  return Buffer.from(`X-Envelope-To: ${recipients}\r\n`);
}
