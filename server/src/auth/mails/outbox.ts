// Mails are stored in the transaction that causes them and sent after it: no request waits for a mail server, a slow or
// greylisting one breaks no sign-up, and the time of an answer does not reveal whether a mail was sent.
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { CONNECTIONS, type Mail, type Mailer } from "../../platform/mail.ts";
import type { Executor, ServiceDatabase } from "../../postgres/executor.ts";
import {
  claimMails,
  deleteMail,
  forgetPassingThings,
  insertMail,
  postponeMail,
  type WaitingMail,
} from "./queries.ts";

export interface MailOutbox {
  /** In the caller's transaction. `until` is when the mail is of no more use. */
  put(tx: Executor, mail: Mail, until: Date): Promise<void>;
  /** Sends what is due. Call it after the transaction. */
  poke(): void;
  /** Looks for mails that another process or an earlier start left. */
  start(): void;
  /** Resolves when no mail is being sent. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** As many as the mailer has connections: a mail that waited for one would outlast its lease behind slow ones. */
const BATCH = CONNECTIONS;
const LOOK_EVERY_MS = 2000;
const CLEAN_EVERY_MS = 60_000;
/** Longer than the mailer's own time limits: a claimed mail comes back only when its process died. */
const LEASE_MS = 120_000;
const LONGEST_PAUSE_MS = 300_000;
const CLOSES_WITHIN_MS = 5000;

export function createMailOutbox(deps: {
  readonly database: ServiceDatabase;
  readonly mailer: Pick<Mailer, "send">;
  readonly clock: Clock;
  readonly log: Log;
}): MailOutbox {
  const { database, mailer, clock, log } = deps;
  let sending: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let looking: NodeJS.Timeout | undefined;
  let cleaning: NodeJS.Timeout | undefined;

  async function send({ id, mail, attempts, send_until }: WaitingMail): Promise<void> {
    try {
      await mailer.send(mail);
      await deleteMail(database, id);
    } catch (error) {
      const pause = Math.min(LONGEST_PAUSE_MS, 5000 * 2 ** (attempts - 1));
      const next = new Date(clock.now() + pause);
      const hopeless = isFinal(error) || next >= send_until;
      log[hopeless ? "error" : "warn"](
        { err: error, attempts, subject: mail.subject },
        hopeless ? "a mail was given up" : "a mail will be tried again",
      );
      await (hopeless ? deleteMail(database, id) : postponeMail(database, id, next));
    }
  }

  async function drain(): Promise<void> {
    do {
      again = false;
      const now = clock.now();
      const mails = await claimMails(database, BATCH, new Date(now), new Date(now + LEASE_MS));
      await Promise.all(mails.map(send));
      if (mails.length === BATCH) again = true;
    } while (again && !closed);
  }

  function poke(): void {
    if (closed) return;
    again = true;
    sending ??= drain()
      .catch((error: unknown) => log.error({ err: error }, "mails could not be read from the outbox"))
      .finally(() => {
        sending = undefined;
      });
  }

  return {
    put: (tx, mail, until) => insertMail(tx, mail, new Date(clock.now()), until),
    poke,
    start() {
      looking = setInterval(poke, LOOK_EVERY_MS).unref();
      cleaning = setInterval(() => {
        forgetPassingThings(database, new Date(clock.now())).catch((error: unknown) =>
          log.error({ err: error }, "auth could not clean up"),
        );
      }, CLEAN_EVERY_MS).unref();
      poke();
    },
    settled: async () => {
      while (sending) await sending;
    },
    async close() {
      closed = true;
      clearInterval(looking);
      clearInterval(cleaning);
      // Whatever a slow mail server has not taken by then, the next start sends.
      const patience = new AbortController();
      await Promise.race([
        sending,
        sleep(CLOSES_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => {}),
      ]);
      patience.abort();
    },
  };
}

/**
 * Whether the server will never take this mail: a 5xx for its recipient or its content. Our own credentials, a greeting or a
 * sender that is refused, 4xx as with greylisting, and broken connections all pass, or are put right.
 */
function isFinal(error: unknown): boolean {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  const isOfThisMail = code === "EMESSAGE" || (code === "EENVELOPE" && command === "RCPT TO");
  return isOfThisMail && responseCode !== undefined && responseCode >= 500 && responseCode !== 530;
}
