// What was typed at /auth, kept in this tab until the user is signed in. The address carries over between its forms, and
// the notes about a confirmation mail and a change of address survive a reload. Passwords are never stored.
import { readJson, readText, writeJson, writeText } from "#lib/browser/stored-json.ts";

const EMAIL = "houston-culture-festival:auth-email";
const AWAITED = "houston-culture-festival:awaited-confirmation";
const CODE = "houston-culture-festival:awaited-code";
const RESET = "houston-culture-festival:awaited-reset";
export const ELSEWHERE = "houston-culture-festival:opened-elsewhere";
export const DEAD_LINK = "houston-culture-festival:dead-link";
const CHANGE = "houston-culture-festival:email-change";

export function typedEmail(): string {
  return readText("session", EMAIL) ?? "";
}

/** For the `onChange` of an address field. */
export function keepTypedEmail({ target }: { target: { value: string } }): void {
  writeText("session", EMAIL, target.value);
}

export interface AwaitedConfirmation {
  email: string;
  /** When this tab last requested the mail, in milliseconds since the epoch; 0 if it never did. */
  sentAt: number;
}

/** The confirmation mail that this tab is waiting for. */
export function awaitedConfirmation(): AwaitedConfirmation | undefined {
  try {
    const { email, sentAt } = (readJson("session", AWAITED) ?? {}) as Partial<AwaitedConfirmation>;
    return typeof email === "string" && typeof sentAt === "number" ? { email, sentAt } : undefined;
  } catch {
    return undefined;
  }
}

export function awaitConfirmation(awaited: AwaitedConfirmation): void {
  writeText("session", EMAIL, awaited.email);
  writeJson("session", AWAITED, awaited);
}

/** The server sends at most one code per minute to an address. */
export const CODE_INTERVAL_MS = 60_000;

export interface AwaitedCode {
  email: string;
  /** When it was sent, in milliseconds since the epoch. */
  sentAt: number;
  /** It was sent before this tab's request, which sent no other. */
  earlier?: boolean;
  /** Another browser requested it, and its reader has it. */
  inHand?: boolean;
}

/** The sign-in code that this tab is waiting for. */
export const awaitedCode = () => readAwaited(CODE);

/** The password reset mail that this tab is waiting for. */
export const awaitedReset = () => readAwaited(RESET);

function readAwaited(key: string): AwaitedCode | undefined {
  try {
    const { email, sentAt, earlier, inHand } = (readJson("session", key) ?? {}) as Partial<AwaitedCode>;
    if (typeof email !== "string" || typeof sentAt !== "number") return undefined;
    return { email, sentAt, ...(earlier === true && { earlier }), ...(inHand === true && { inHand }) };
  } catch {
    return undefined;
  }
}

export function awaitCode(awaited: AwaitedCode | undefined): void {
  writeJson("session", CODE, awaited);
}

export function awaitReset(awaited: AwaitedCode | undefined): void {
  writeJson("session", RESET, awaited);
}

const reasons = ["signup", "code", "recovery"] as const;
/** Why the mail was sent whose link was opened in this tab but requested in another browser. */
export type OpenedElsewhere = (typeof reasons)[number];

export function openedElsewhere(): OpenedElsewhere | undefined {
  const kept = readText("session", ELSEWHERE);
  return reasons.find((reason) => reason === kept);
}

/** `email`: where the mail went, if its link names it. */
export function noteOpenedElsewhere(reason: OpenedElsewhere, email: string | undefined): void {
  awaitCode(undefined);
  awaitReset(undefined);
  writeText("session", DEAD_LINK, undefined);
  writeText("session", ELSEWHERE, reason);
  if (email !== undefined) writeText("session", EMAIL, email);
}

const emailChanges = ["current", "new", "half", "done"] as const;
/**
 * The progress of a change of address: one of the two addresses has confirmed ("half" when it is not known which), or the
 * change is complete.
 */
export type EmailChange = (typeof emailChanges)[number];

/** The change whose link was opened in this tab. */
export function openedEmailChange(): EmailChange | undefined {
  const kept = readText("session", CHANGE);
  return emailChanges.find((change) => change === kept);
}

export function noteEmailChange(change: EmailChange): void {
  writeText("session", CHANGE, change);
}

export function forgetAuthEntries(): void {
  writeText("session", EMAIL, undefined);
  writeText("session", AWAITED, undefined);
  writeText("session", CODE, undefined);
  writeText("session", RESET, undefined);
  writeText("session", ELSEWHERE, undefined);
  writeText("session", DEAD_LINK, undefined);
  writeText("session", CHANGE, undefined);
}
