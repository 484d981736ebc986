// A mailed link that no longer works: which one this tab opened, kept until another mail is requested or the user signs in.
import { readText, writeText } from "#lib/browser/stored-json.ts";
import { toast } from "#ui/overlays/toast.ts";
import { awaitCode, awaitReset, DEAD_LINK, ELSEWHERE } from "../auth-entries.ts";
import type { AuthMode } from "../auth-mode.ts";

/** The form that helps, by the reason why the mail was sent. */
export const modeAfter = {
  signup: "sign-in",
  code: "code",
  recovery: "forgot",
  email: "sign-in",
  invite: "code",
} as const satisfies Record<string, AuthMode>;
export type DeadLink = keyof typeof modeAfter;

export function openedDeadLink(): DeadLink | undefined {
  const kept = readText("session", DEAD_LINK);
  return Object.keys(modeAfter).find((link): link is DeadLink => link === kept);
}

export function noteDeadLink(link: DeadLink): void {
  awaitCode(undefined);
  awaitReset(undefined);
  writeText("session", ELSEWHERE, undefined);
  writeText("session", DEAD_LINK, link);
}

export const forgetDeadLink = (): void => writeText("session", DEAD_LINK, undefined);

/** To a user who pressed the mail's button after typing its code. */
export function sayNotNeeded(email: string | undefined): void {
  toast.show(
    "You Are Signed In",
    `${email ? `As ${email}. ` : ""}The link in the email has been used or has expired, and you no longer need it.`,
  );
}
