// The SQL of the mails that wait and of what is kept for minutes only.
import type { Mail } from "contract/mail";
import type { Executor } from "../../postgres/executor.ts";

/** `sms`: the number it goes to, without a plus. */
export interface TextMessage {
  readonly sms: string;
  readonly text: string;
  readonly channel: "sms" | "whatsapp";
  /** Of the text, for a template that is kept elsewhere. */
  readonly code: string;
}

export interface WaitingMail {
  readonly id: string;
  readonly mail: Mail | TextMessage;
  /** This one included. */
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

/** Hands each due mail to one process; it comes back at `lease` unless it is forgotten or postponed. */
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

/**
 * Notes that a mail of a kind is asked for. Undefined when it may go out; else when the last one was asked for. Requests
 * for one address wait for each other here until their transactions end.
 */
export async function noteMailRequest(
  tx: Executor,
  request: { kind: string; addressHash: string },
  now: Date,
  notSince: Date,
): Promise<Date | undefined> {
  const { rowCount } = await tx.run({
    name: "auth_note_mail_request",
    text: `insert into auth.mail_requests as m (kind, address_hash, requested_at) values ($1, $2, $3)
      on conflict (kind, address_hash) do update set requested_at = excluded.requested_at
      where m.requested_at <= $4`,
    values: [request.kind, request.addressHash, now, notSince],
  });
  if (rowCount === 1) return undefined;
  const { rows } = await tx.query<{ requested_at: Date }>(
    "select requested_at from auth.mail_requests where kind = $1 and address_hash = $2",
    [request.kind, request.addressHash],
  );
  return rows[0]!.requested_at;
}

/** Clean-up: nothing here decides anything after an hour, or a code's five minutes. */
export async function forgetPassingThings(tx: Executor, now: Date): Promise<void> {
  const hourAgo = new Date(now.getTime() - 3_600_000);
  await tx.query("delete from auth.mail_requests where requested_at < $1", [hourAgo]);
  await tx.query("delete from auth.sign_in_failures where failed_at < $1", [hourAgo]);
  await tx.query("delete from auth.flow_state where created_at < $1", [
    new Date(now.getTime() - 24 * 3_600_000),
  ]);
}
