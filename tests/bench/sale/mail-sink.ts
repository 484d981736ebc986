// A mail server in a process of its own that accepts every mail and keeps what the measurement checks. Sends the parent its port,
// and what has come since the last question whenever it is asked.
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface SunkMail {
  readonly to: string;
  /** How many pictures of entry codes it has. */
  readonly codes: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

let mails: SunkMail[] = [];

const server = new SMTPServer({
  disabledCommands: ["STARTTLS", "AUTH"],
  disableReverseLookup: true,
  onData(stream, { envelope }, done) {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const codes = Buffer.concat(chunks).toString("latin1").split("Content-Type: image/png").length - 1;
      for (const { address } of envelope.rcptTo) mails.push({ to: address, codes, at: Date.now() });
      done();
    });
  },
});
server.listen(0, "127.0.0.1", () => process.send!((server.server.address() as AddressInfo).port));

process.on("message", () => {
  process.send!(mails);
  mails = [];
});
process.once("disconnect", () => process.exit());
