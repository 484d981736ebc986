// The code from a mail, typed where the mail was requested instead of pressing the mail's button.
import { CodeEntry } from "#ui/forms/code-entry.tsx";
import { type MailedCodeType, redeemCode } from "../auth-calls.ts";
import { codeProblem } from "./code-problem.ts";

interface MailedCodeProps {
  email: string;
  type: MailedCodeType;
  submit: string;
  /** Set where the button that led here is gone. */
  takesFocus?: boolean;
  /** Signed in, apart from a second step if the account has one. */
  onDone?: () => void;
  /** Wraps the call that signs in, for callers that must prepare for it. */
  around?: (redeem: () => Promise<unknown>) => Promise<void>;
}

export function MailedCode({ email, type, submit, takesFocus = false, onDone, around }: MailedCodeProps) {
  async function verify(code: string) {
    const redeem = () => redeemCode(email, code, type);
    try {
      await (around ? around(redeem) : redeem());
    } catch (error) {
      return codeProblem(error);
    }
    onDone?.();
    return undefined;
  }
  return (
    <CodeEntry
      name="Type your code"
      label="Code from the email"
      hint="Use this instead of the link."
      submit={submit}
      isNumber
      takesFocus={takesFocus}
      verify={verify}
    />
  );
}
