// Setting up codes by text message: the number, then the code sent to it.
import { useEffect, useRef, useState, type SubmitEvent } from "react";
import { maxLengths } from "contract/limits";
import { getSupabase } from "#lib/api/supabase.ts";
import { typed } from "#lib/browser/typed.ts";
import { secondStepProblem, sendCode, verifyTextedCode } from "#lib/session/second-step-codes.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { TextedCode } from "#ui/forms/texted-code.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { freeName } from "./free-name.ts";
import { internationalNumber } from "./phone-number.ts";

interface Sent {
  readonly factorId: string;
  readonly challengeId: string;
  /** As the user typed it. */
  readonly number: string;
}

/** A new factor for the number, with a code on its way. Returns a message when that fails. */
async function enroll(number: string): Promise<Sent | string> {
  const phone = internationalNumber(number);
  if (phone === undefined)
    return "Include the area code. For a number outside the United States or Canada, start with + and the country code.";
  const { mfa } = (await getSupabase()).auth;
  const free = await freeName("phone", `Phone ending in ${phone.slice(-4)}`);
  if ("problem" in free) return free.problem;
  const { data, error } = await mfa.enroll({ factorType: "phone", phone, friendlyName: free.name });
  if (error) return secondStepProblem(error)!;
  const sent = await sendCode(data.id);
  return "problem" in sent ? sent.problem : { factorId: data.id, challengeId: sent.challengeId, number };
}

export function PhoneDialog({ onClose }: { onClose: (isDone: boolean) => void }) {
  const [number, setNumber] = useState("");
  const [sent, setSent] = useState<Sent>();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose(false)}
      title="Add a Phone Number"
      description="We'll text a code to it whenever you sign in. Your carrier may charge for messages."
    >
      {sent ? (
        <CodeStep
          sent={sent}
          onSentAgain={setSent}
          onOtherNumber={() => setSent(undefined)}
          onDone={() => onClose(true)}
        />
      ) : (
        <NumberStep
          number={number}
          onSent={(made) => {
            setNumber(made.number);
            setSent(made);
          }}
        />
      )}
    </Dialog>
  );
}

function NumberStep({ number, onSent }: { number: string; onSent: (sent: Sent) => void }) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // At first the dialog sets the focus. A user who comes back from the code step has pressed a button that is
  // gone.
  const isBack = number !== "";
  useEffect(() => {
    if (isBack) field.current?.focus();
  }, [isBack]);
  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    const made = await enroll(typed(event.currentTarget, "phone"));
    setBusy(false);
    if (typeof made !== "string") return onSent(made);
    setProblem(made);
    field.current?.focus();
  }
  return (
    <form noValidate aria-label="Phone number" className="space-y-5" onSubmit={(event) => void submit(event)}>
      <Field
        label="Mobile number"
        limit={maxLengths.phone}
        hint={
          "With the country code if it is not from the United States or Canada, such as +52\u00A055\u00A01234\u00A05678."
        }
        required
        error={problem}
      >
        <Input ref={field} name="phone" type="tel" autoComplete="tel" defaultValue={number} />
      </Field>
      <Button type="submit" size="large" block busy={busy}>
        Text Me a Code
      </Button>
    </form>
  );
}

interface CodeStepProps {
  sent: Sent;
  onSentAgain: (sent: Sent) => void;
  onOtherNumber: () => void;
  onDone: () => void;
}

function CodeStep({ sent, onSentAgain, onOtherNumber, onDone }: CodeStepProps) {
  async function verify(code: string) {
    const problem = await verifyTextedCode(sent.factorId, sent.challengeId, code);
    if (problem === undefined) onDone();
    return problem;
  }
  async function sendAgain() {
    const again = await sendCode(sent.factorId);
    if ("problem" in again) return again.problem;
    onSentAgain({ ...sent, challengeId: again.challengeId });
    return undefined;
  }
  return (
    <>
      <TextedCode
        name="Text message"
        to={sent.number}
        submit="Turn On"
        verify={verify}
        sendAgain={sendAgain}
      />
      <Button className="mt-2" variant="ghost" size="small" onClick={onOtherNumber}>
        Use Another Number
      </Button>
    </>
  );
}
