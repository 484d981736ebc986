// Setting up an authenticator app: the picture to scan, the secret to type where there is no camera, and the first code.
import { useEffect, useState, type SubmitEvent } from "react";
import { typed } from "#lib/browser/typed.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { CopyButton } from "./copy-button.tsx";

interface Enrolment {
  readonly id: string;
  readonly qrCode: string;
  readonly secret: string;
}

async function enrol(): Promise<Enrolment> {
  const { mfa } = (await getSupabase()).auth;
  const { data: known } = await mfa.listFactors();
  // What was begun and left is in the way of its name.
  const left =
    known?.all.filter(({ status, factor_type }) => status === "unverified" && factor_type === "totp") ?? [];
  for (const { id } of left) await mfa.unenroll({ factorId: id });
  const taken = new Set(known?.all.map(({ friendly_name }) => friendly_name));
  let name = "Authenticator app";
  for (let number = 2; taken.has(name); number++) name = `Authenticator app ${number}`;
  const { data, error } = await mfa.enroll({ factorType: "totp", friendlyName: name });
  if (error) throw error;
  return { id: data.id, qrCode: data.totp.qr_code, secret: data.totp.secret };
}

export function SetUpDialog({ onClose }: { onClose: (isDone: boolean) => void }) {
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isOpen = true;
    enrol().then(
      (made) => isOpen && setEnrolment(made),
      (error: Error) => isOpen && setFailure(error.message),
    );
    return () => {
      isOpen = false;
    };
  }, []);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose(false)}
      title="Set Up Two-Step Verification"
      description="You need an authenticator app on your phone. Any will do."
    >
      {failure !== undefined && <ErrorState title="It could not be started">{failure}</ErrorState>}
      {failure === undefined && !enrolment && <Skeleton className="h-64" />}
      {enrolment && <Steps enrolment={enrolment} onDone={() => onClose(true)} />}
    </Dialog>
  );
}

function Steps({ enrolment, onDone }: { enrolment: Enrolment; onDone: () => void }) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const code = typed(event.currentTarget, "code").replaceAll(/\s/g, "");
    if (!/^\d{6}$/.test(code)) return setProblem("The code has six digits.");
    setBusy(true);
    const { mfa } = (await getSupabase()).auth;
    const { error } = await mfa.challengeAndVerify({ factorId: enrolment.id, code });
    setBusy(false);
    if (!error) return onDone();
    setProblem(
      error.code === "mfa_verification_failed"
        ? "That code is not right. Codes change every half minute; please type the one shown now."
        : error.message,
    );
  }
  return (
    <form noValidate className="space-y-5" onSubmit={(event) => void submit(event)}>
      <div className="flex flex-wrap items-center gap-5">
        <img
          src={enrolment.qrCode}
          alt="QR code to scan with your authenticator app"
          width={192}
          height={192}
          className="border-2 border-ink bg-white"
        />
        <div className="min-w-0 flex-1 basis-52">
          <p>Scan the picture with your app, or type this secret into it:</p>
          <p className="mt-2 font-semibold tracking-wide break-all" data-testid="secret">
            {enrolment.secret}
          </p>
          <CopyButton className="mt-2" text={enrolment.secret} label="Copy Secret" />
        </div>
      </div>
      <Field label="Code" hint="The six digits that the app shows now." required error={problem}>
        <Input
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          className="font-semibold tracking-widest tabular-nums"
        />
      </Field>
      <div className="flex justify-end">
        <Button type="submit" busy={busy}>
          Switch It On
        </Button>
      </div>
    </form>
  );
}
