// Mails and text messages are stored in the transaction that causes them and sent after it. No request waits for a mail
// server, a slow or greylisting one breaks no sign-up, and the time of an answer does not reveal whether a mail was sent.
import { type Mail, smtpOptions } from "contract/mail";
import type { SendSms } from "../texts/send-sms.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Mailer } from "../../platform/mail.ts";
import type { Executor, ServiceDatabase } from "../../postgres/executor.ts";
import {
  claimMails,
  deleteMail,
  insertMail,
  postponeMail,
  type TextMessage,
  type WaitingMail,
} from "./queries.ts";

/** As many as the mailer has connections: a mail waiting for one behind slow mails would outlast its lease. */
const BATCH = smtpOptions.maxConnections;
const LOOK_EVERY_MS = 2000;
/** Longer than the mailer's own time limits: a claimed mail comes back only when its process has died. */
const LEASE_MS = 120_000;
const LONGEST_PAUSE_MS = 300_000;
const CLOSES_WITHIN_MS = 5000;

export interface MailOutboxDeps {
  readonly database: ServiceDatabase;
  readonly mailer: Pick<Mailer, "send">;
  readonly sendSms: SendSms | undefined;
  readonly maySend: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export class MailOutbox {
  readonly #deps: MailOutboxDeps;
  #sending: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #looking: NodeJS.Timeout | undefined;

  constructor(deps: MailOutboxDeps) {
    this.#deps = deps;
  }

  /** Runs in the caller's transaction. The mail is useless after `until`. */
  put(tx: Executor, mail: Mail, until: Date): Promise<void> {
    return insertMail(tx, mail, new Date(this.#deps.clock.now()), until);
  }

  /** As above for a text message. */
  putText(tx: Executor, message: TextMessage, until: Date): Promise<void> {
    return insertMail(tx, message, new Date(this.#deps.clock.now()), until);
  }

  /** Sends what is due. Call it after the transaction. */
  poke(): void {
    if (this.#closed || !this.#deps.maySend()) return;
    this.#again = true;
    this.#sending ??= this.#drain()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, "mails could not be read from the outbox"),
      )
      .finally(() => {
        this.#sending = undefined;
      });
  }

  /** Looks for mails left by another process or an earlier start. */
  start(): void {
    this.#looking = setInterval(() => this.poke(), LOOK_EVERY_MS).unref();
    this.poke();
  }

  /** Resolves when no mail is being sent. */
  async settled(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#looking);
    // The next start sends whatever a slow mail server has not accepted by then.
    const patience = new AbortController();
    await Promise.race([
      this.#sending,
      sleep(CLOSES_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => {}),
    ]);
    patience.abort();
  }

  async #drain(): Promise<void> {
    do {
      this.#again = false;
      const now = this.#deps.clock.now();
      const mails = await claimMails(this.#deps.database, BATCH, new Date(now), new Date(now + LEASE_MS));
      await Promise.all(mails.map((mail) => this.#send(mail)));
      if (mails.length === BATCH) this.#again = true;
    } while (this.#again && !this.#closed);
  }

  async #send({ id, mail, attempts, send_until }: WaitingMail): Promise<void> {
    const { database, clock, log } = this.#deps;
    const subject = "sms" in mail ? "a text message" : mail.subject;
    if (send_until.getTime() <= clock.now()) {
      log.warn({ attempts, subject }, "a mail was given up: what it says is no longer valid");
      return deleteMail(database, id);
    }
    try {
      await this.#deliver(mail);
      await deleteMail(database, id);
    } catch (error) {
      // A text's code is valid for a minute: a second attempt after five seconds would often be too late.
      const first = "sms" in mail ? 1000 : 5000;
      const pause = Math.min(LONGEST_PAUSE_MS, first * 2 ** (attempts - 1));
      const next = new Date(clock.now() + pause);
      const hopeless = isFinal(error) || next >= send_until;
      log[hopeless ? "error" : "warn"](
        { err: error, attempts, subject },
        hopeless ? "a mail was given up" : "a mail will be tried again",
      );
      await (hopeless ? deleteMail(database, id) : postponeMail(database, id, next));
    }
  }

  async #deliver(mail: WaitingMail["mail"]): Promise<void> {
    const { mailer, sendSms } = this.#deps;
    if (!("sms" in mail)) return mailer.send(mail);
    if (!sendSms) throw new Error("nobody sends text messages: GOTRUE_SMS_PROVIDER is not set");
    await sendSms(mail.sms, mail.text, { channel: mail.channel, code: mail.code });
  }
}

/**
 * Whether the server will never accept this mail: a 5xx for its recipient or its content. Everything else passes or can be
 * fixed: our own credentials, a refused greeting or sender, 4xx as with greylisting, and broken connections.
 */
function isFinal(error: unknown): boolean {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  const isOfThisMail = code === "EMESSAGE" || (code === "EENVELOPE" && command === "RCPT TO");
  return isOfThisMail && responseCode !== undefined && responseCode >= 500 && responseCode !== 530;
}
