// The SQL of waiting mails.
import type { Mail } from "contract/mail";
import type { Executor } from "../../postgres/executor.ts";

/** `sms`: the recipient's number, without a plus. */
export interface TextMessage {
  readonly sms: string;
  readonly text: string;
  readonly channel: "sms" | "whatsapp";
  /** The code in the text, for a template that is kept elsewhere. */
  readonly code: string;
}

export interface WaitingMail {
  readonly id: string;
  readonly mail: Mail | TextMessage;
  /** Includes the current attempt. */
  readonly attempts: number;
  readonly send_until: Date;
}

export async function insertMail(
  tx: Executor,
  mail: Mail | TextMessage,
  now: Date,
  until: Date,
): Promise<void> {
  await tx.run({
    name: "auth_insert_mail",
    text: "insert into auth.mail_outbox (mail, next_attempt_at, send_until) values ($1, $2, $3)",
    values: [JSON.stringify(mail), now, until],
  });
}

/** Hands each due mail to one process; it becomes due again at `lease` unless it is deleted or postponed. */
export async function claimMails(
  tx: Executor,
  limit: number,
  now: Date,
  lease: Date,
): Promise<WaitingMail[]> {
  const { rows } = await tx.run<WaitingMail>({
    name: "auth_claim_mails",
    text: `update auth.mail_outbox o set attempts = o.attempts + 1, next_attempt_at = $3
      from (select id from auth.mail_outbox where next_attempt_at <= $2
            order by next_attempt_at limit $1 for update skip locked) due
      where o.id = due.id returning o.id, o.mail, o.attempts, o.send_until`,
    values: [limit, now, lease],
  });
  return rows;
}

export async function postponeMail(tx: Executor, id: string, until: Date): Promise<void> {
  await tx.query("update auth.mail_outbox set next_attempt_at = $2 where id = $1", [id, until]);
}

export async function deleteMail(tx: Executor, id: string): Promise<void> {
  await tx.run({
    name: "auth_delete_mail",
    text: "delete from auth.mail_outbox where id = $1",
    values: [id],
  });
}
