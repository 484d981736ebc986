// A mailed link that no longer works: which one this tab opened, kept until another mail is requested or the user signs in.
import { readText, writeText } from "#lib/browser/stored-json.ts";
import { awaitCode, awaitReset, DEAD_LINK, ELSEWHERE } from "./auth-entries.ts";
import type { AuthMode } from "./auth-mode.ts";

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
