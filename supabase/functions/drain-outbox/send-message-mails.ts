// Sends an organizer's message, a batch of addresses at a time. Each address is settled individually: one that the mail server
// refuses is marked, and any other failure is retried with the batch.
import { type Mail, refusedAddress } from "contract/mail";
import { concurrently } from "../_shared/concurrently.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { readFestival } from "../_shared/festival.ts";
import { messageMail } from "../_shared/mail/letters.ts";

/** Concurrent mails. Our own server has five connections for all mails. */
const AT_ONCE = 3;

export async function sendMessageMails(
  deps: FunctionDeps,
  { message_id, batch }: { message_id: string; batch: number },
): Promise<void> {
  const recipients = await deps.sql("claim_message_mails", {
    p_message_id: message_id,
    p_batch: batch,
  });
  if (recipients.length === 0) return;
  const festival = await readFestival(deps);
  const failures = await concurrently(recipients, AT_ONCE, async (recipient) => {
    const mail = await messageMail(festival, recipient.email, recipient, deps);
    const sent = await attempt(deps, mail);
    await deps.sql("settle_message_mail", {
      p_message_id: message_id,
      p_number: recipient.number,
      p_state: sent.state,
      p_problem: sent.problem,
    });
    return sent.failure;
  });
  const failure = failures.find((error) => error !== undefined);
  if (failure) throw failure;
}

/** Sent to the administrator who writes the message, without a greeting, since an account has no name. */
export async function sendMessageTest(
  deps: FunctionDeps,
  { email, ...message }: { email: string; subject: string; body: string; token: string },
): Promise<void> {
  const festival = await readFestival(deps);
  await deps.sendMail(await messageMail(festival, email, { ...message, name: "", change: null }, deps));
}

type Attempt =
  | { readonly state: "sent"; readonly problem: null; readonly failure?: undefined }
  | { readonly state: "bounced"; readonly problem: string; readonly failure?: undefined }
  | { readonly state: "waiting"; readonly problem: string; readonly failure: Error };

async function attempt(deps: FunctionDeps, mail: Mail): Promise<Attempt> {
  try {
    await deps.sendMail(mail);
    return { state: "sent", problem: null };
  } catch (error) {
    const refusal = refusedAddress(error);
    if (refusal !== undefined) return { state: "bounced", problem: refusal };
    const failure = error instanceof Error ? error : new Error(String(error));
    return { state: "waiting", problem: failure.message, failure };
  }
}
