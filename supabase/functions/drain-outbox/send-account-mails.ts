// Collects the content of the mails about an account that an administrator helped, or that was deleted.
import type { FunctionDeps } from "../_shared/deps.ts";
import { readFestival } from "../_shared/festival.ts";
import { accountDeletedMail, secondStepsRemovedMail } from "../_shared/mail/account-mails.ts";

export async function sendSecondStepsRemoved(
  deps: FunctionDeps,
  { email }: { email: string },
): Promise<void> {
  await deps.sendMail(await secondStepsRemovedMail(await readFestival(deps), email, deps.siteUrl));
}

export async function sendAccountDeleted(deps: FunctionDeps, { email }: { email: string }): Promise<void> {
  await deps.sendMail(await accountDeletedMail(await readFestival(deps), email));
}
