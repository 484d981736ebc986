// The code of a mail, typed where the mail was asked for instead of pressing its button.
import { CodeEntry } from "#ui/forms/code-entry.tsx";
import { type MailedCodeType, redeemCode } from "./auth-calls.ts";
import { codeProblem } from "./code-problem.ts";

interface MailedCodeProps {
  email: string;
  type: MailedCodeType;
  submit: string;
  /** Where the button that led here is gone. */
  takesFocus?: boolean;
  /** Signed in. With a second step set up, that is left to take. */
  onDone?: () => void;
  /** Calls what signs in, for who must be ready for that. */
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
      hint="It does the same as the link."
      submit={submit}
      isNumber
      takesFocus={takesFocus}
      verify={verify}
    />
  );
}
