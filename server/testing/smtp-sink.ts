// A mail server for tests, on loopback: records the recipients of accepted mails, and refuses one address as real servers
// do.
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface SmtpSink {
  readonly url: string;
  /** Recipients of the accepted mails, in order. */
  readonly recipients: readonly string[];
  /** The sources of the accepted mails, in order. */
  readonly sources: readonly string[];
  /** Resolves once this many mails were accepted. */
  accepted(mails: number): Promise<void>;
  close(): Promise<void>;
}

/** `password`: of the account `shop`, which a sender then has to sign in with. */
export async function openSmtpSink({
  refused = "",
  password,
}: {
  readonly refused?: string;
  readonly password?: string;
}): Promise<SmtpSink> {
  const recipients: string[] = [];
  const sources: string[] = [];
  const awaited: { mails: number; arrive: () => void }[] = [];
  const server = new SMTPServer({
    disabledCommands: password === undefined ? ["STARTTLS", "AUTH"] : ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth(given, _session, done) {
      const isRight = given.username === "shop" && given.password === password;
      done(isRight ? null : Object.assign(new Error("Bad credentials"), { responseCode: 535 }), {
        user: "shop",
      });
    },
    disableReverseLookup: true,
    closeTimeout: 1000,
    onRcptTo({ address }, _session, done) {
      const answer = Object.assign(new Error("5.1.1 No such user"), { responseCode: 550 });
      done(address === refused ? answer : null);
    },
    onData(stream, { envelope }, done) {
      let source = "";
      stream.on("data", (chunk: Buffer) => (source += chunk.toString("latin1")));
      stream.on("end", () => {
        sources.push(source);
        recipients.push(...envelope.rcptTo.map(({ address }) => address));
        for (const { mails, arrive } of awaited) if (recipients.length >= mails) arrive();
        done();
      });
    },
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    recipients,
    sources,
    accepted(mails) {
      if (recipients.length >= mails) return Promise.resolve();
      return new Promise((arrive) => awaited.push({ mails, arrive }));
    },
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
