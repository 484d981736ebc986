// The wording of each mail of this service.

export type MailKind =
  | "confirmation"
  | "sign_up_code"
  | "invite"
  | "recovery"
  | "magiclink"
  | "email_change_current"
  | "email_change_new"
  | "reauthentication";

/** Mails without a token: what was done to an account, or what someone tried with its owner's address. */
export type NoticeKind =
  | "already_registered"
  | "address_taken"
  | "password_changed"
  | "email_changed"
  | "phone_changed"
  | "identity_linked"
  | "identity_unlinked"
  | FactorNotice;

type FactorNotice =
  | "mfa_factor_enrolled"
  | "mfa_factor_unenrolled"
  | "passkey_created"
  | "passkey_deleted"
  | "recovery_codes_created"
  | "recovery_codes_replaced"
  | "recovery_codes_removed"
  | "recovery_code_used";

export interface Wording {
  readonly subject: string;
  readonly title: string;
  readonly body: string;
  /** The label of the button; a mail without one has no link. */
  readonly action?: string;
  /** For a mail whose reader is waiting for the code: the code goes above the button. */
  readonly codeFirst?: boolean;
  readonly ignore: string;
}

const signIn = (name: string): Wording => ({
  subject: `Your sign-in code for ${name}`,
  title: "Here is your code",
  body:
    "Enter it where you requested it. The button works only in the browser you requested it from. " +
    "Our staff will never ask you for it.",
  action: "Sign in",
  codeFirst: true,
  ignore: "If you didn't request it, you can ignore this email.",
});

/** `name`: what people know the project by. */
export function wording(kind: MailKind, name: string, address: { email: string; newEmail: string }): Wording {
  switch (kind) {
    case "confirmation":
      return {
        subject: `Confirm your email for ${name}`,
        title: "You're almost in",
        body:
          `Confirm that ${address.email} is your address, and your account is ready. Use the browser you signed up in. ` +
          "The button works in any other, too, but there you'll need to set your password again.",
        action: "Confirm my email",
        ignore: "If you didn't create an account, you can ignore this email.",
      };
    // The same mail for both: it must not reveal to anyone who reads it who has an account.
    case "sign_up_code":
    case "magiclink":
      return signIn(name);
    case "invite":
      return {
        subject: `You're invited to ${name}`,
        title: "Come on in",
        body: `The team of ${name} has created an account for ${address.email}. Accept and choose a password.`,
        action: "Accept the invitation",
        ignore: "If you weren't expecting an invitation, you can ignore this email.",
      };
    case "recovery":
      return {
        subject: "Choose a new password",
        title: "Forgot your password?",
        body:
          `Someone, hopefully you, asked for a new password for ${address.email}. The button works only in the browser ` +
          "you requested it from. Anywhere else, enter the code.",
        action: "Choose a new password",
        ignore: "If this wasn't you, ignore this email. Your password won't change.",
      };
    case "email_change_current":
    case "email_change_new":
      return emailChange(kind, address);
    case "reauthentication":
      return {
        subject: "Confirm it's you",
        title: "Is it you?",
        body: "Enter this code where you are changing your account. Our staff will never ask you for it.",
        codeFirst: true,
        ignore:
          "If you aren't changing anything, someone else is signed in as you. Change your password now.",
      };
  }
}

/** The page that requests the change waits for the codes of both mails, so each mail says which of the two it is. */
function emailChange(
  kind: "email_change_current" | "email_change_new",
  { email, newEmail }: { email: string; newEmail: string },
): Wording {
  const rest = {
    action: "Confirm the change",
    codeFirst: true,
    ignore: "If you didn't request this, ignore this email. Your address won't change.",
  };
  if (email === newEmail) {
    return {
      subject: "Confirm your new email address",
      title: "An address for your account",
      body: `Confirm that ${newEmail} is your address, and it becomes your account's address.`,
      ...rest,
    };
  }
  const isOld = kind === "email_change_current";
  const both = "Both addresses get an email with their own code, and both must confirm.";
  return {
    subject: isOld ? "Confirm your email address change" : "Confirm your new email address",
    title: isOld ? "Leaving this address?" : "New address, same account",
    body: isOld
      ? `Your account's address will change from ${email}, which received this email, to ${newEmail}. ${both}`
      : `${newEmail}, which received this email, will become your account's address instead of ${email}. ${both}`,
    ...rest,
  };
}

const NOT_YOU = "If this wasn't you, set a new password now and write to us.";
const UNCHANGED = "If this wasn't you, ignore this email. Nothing about your account has changed.";

/** For what happened to the account. */
const done = (subject: string, body: string): Wording => ({
  subject,
  title: subject,
  body,
  action: "See my account",
  ignore: NOT_YOU,
});

export function noticeWording(
  kind: NoticeKind,
  name: string,
  address: { email: string; newAddress: string },
): Wording {
  const { email, newAddress } = address;
  switch (kind) {
    case "already_registered":
      return {
        subject: `You already have an account for ${name}`,
        title: "You're already in",
        body:
          `Someone, hopefully you, tried to create an account for ${email}. You already have one. Sign in with ` +
          'its password, or choose "Forgot your password?" there to set a new one.',
        action: "Sign in",
        ignore: UNCHANGED,
      };
    case "address_taken":
      return {
        subject: "Someone wanted to use your email address",
        title: "Your address stays yours",
        body:
          `Someone asked to move another account to ${email}. You have an account with this address already, so ` +
          "that is not possible.",
        action: "Sign in",
        ignore: UNCHANGED,
      };
    case "password_changed":
      return done("Your password was changed", `The password of your account ${email} was changed.`);
    case "email_changed":
      return done(
        "Your email address was changed",
        `Your account's address is ${newAddress} from now on, and ${email} no longer signs you in.`,
      );
    case "phone_changed":
      return done("Your phone number was changed", `Your account's phone number is now +${newAddress}.`);
    case "identity_linked":
      return done(
        "A way to sign in was added",
        `Signing in with ${wayOf(newAddress)} now opens your account ${email}.`,
      );
    case "identity_unlinked":
      return done(
        "A way to sign in was removed",
        `Signing in with ${wayOf(newAddress)} no longer opens your account ${email}.`,
      );
    default:
      return factorNotice(kind, email, newAddress);
  }
}

/** For a change to how the account is signed in to, beside its password. */
function factorNotice(kind: FactorNotice, email: string, what: string): Wording {
  switch (kind) {
    case "mfa_factor_enrolled":
      return done(
        "A verification method was added",
        `Your account ${email} has a new method for two-step verification: ${what}.`,
      );
    case "mfa_factor_unenrolled":
      return done(
        "A verification method was removed",
        `Your account ${email} no longer has this method for two-step verification: ${what}.`,
      );
    // Without the passkey's name, which an intruder may have chosen.
    case "passkey_created":
      return done("A passkey was added", `A new passkey now opens your account ${email}.`);
    case "passkey_deleted":
      return done(
        "A passkey was removed",
        `A passkey was removed and no longer opens your account ${email}.`,
      );
    case "recovery_codes_created":
      return done(
        "Recovery codes were created for your account",
        `Recovery codes were created for your account ${email}.`,
      );
    case "recovery_codes_replaced":
      return done(
        "Your recovery codes were replaced",
        `New recovery codes were created for your account ${email}. The earlier ones no longer work.`,
      );
    case "recovery_codes_removed":
      return done(
        "Your recovery codes were removed",
        `The recovery codes of your account ${email} were removed and no longer work.`,
      );
    case "recovery_code_used":
      return done(
        "A recovery code was used",
        `Someone, hopefully you, signed in to your account ${email} with a recovery code. Codes left: ${what}.`,
      );
  }
}

const WAYS: ReadonlyMap<string, string> = new Map([
  ["apple", "Apple"],
  ["email", "an email address"],
  ["facebook", "Facebook"],
  ["github", "GitHub"],
  ["google", "Google"],
  ["keycloak", "Keycloak"],
  ["phone", "a phone number"],
]);

/** What people call an identity's provider. */
const wayOf = (provider: string): string =>
  provider.startsWith("sso:") ? "single sign-on" : (WAYS.get(provider) ?? provider);
