// Setting up an authenticator app: the QR code to scan, the secret to type when there is no camera, and the first code.
import { useEffect, useState } from "react";
import { getSupabase } from "#lib/api/supabase.ts";
import { UNREACHABLE } from "#lib/api/refusal.ts";
import { festivalNow } from "#lib/festival/content.ts";
import { secondStepProblem, verifyAppCode } from "#lib/session/second-step-codes.ts";
import { Button } from "#ui/basics/button.tsx";
import { CodeEntry } from "#ui/forms/code-entry.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { CopyButton } from "./copy-button.tsx";
import { freeName } from "./free-name.ts";

interface Enrollment {
  readonly id: string;
  readonly qrCode: string;
  readonly secret: string;
  /** The content of the QR code. On a phone, it opens the app. */
  readonly uri: string;
}

/** The server waits five minutes for the first code. */
const KEPT_MS = 4 * 60_000;
/** A user who closes the dialog may have scanned the QR code, so reopening it shows the same one. */
let begun: { enrollment: Enrollment; at: number } | undefined;

async function enroll(): Promise<Enrollment | string> {
  const { mfa } = (await getSupabase()).auth;
  if (begun && Date.now() < begun.at + KEPT_MS) {
    const { id } = begun.enrollment;
    const { data, error } = await mfa.listFactors();
    if (error) return secondStepProblem(error)!;
    // Not if it was finished, was given up in another tab, or belongs to another user.
    if (data.all.some((factor) => factor.id === id && factor.status === "unverified"))
      return begun.enrollment;
  }
  const free = await freeName("totp", "Authenticator app");
  if ("problem" in free) return free.problem;
  const { data, error } = await mfa.enroll({
    factorType: "totp",
    friendlyName: free.name,
    issuer: festivalNow().title,
  });
  if (error) return secondStepProblem(error)!;
  const { qr_code: qrCode, secret, uri } = data.totp;
  begun = { enrollment: { id: data.id, qrCode, secret, uri }, at: Date.now() };
  return begun.enrollment;
}

export function AuthenticatorAppDialog({ onClose }: { onClose: (isDone: boolean) => void }) {
  const [enrollment, setEnrollment] = useState<Enrollment>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isOpen = true;
    enroll().then(
      (made) => {
        if (!isOpen) return;
        if (typeof made === "string") setFailure(made);
        else setEnrollment(made);
      },
      () => isOpen && setFailure(UNREACHABLE),
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
      description="You need an authenticator app on your phone. Any app works."
    >
      {failure !== undefined && <ErrorState title="Setup could not be started">{failure}</ErrorState>}
      {failure === undefined && !enrollment && <Skeleton className="h-64" />}
      {enrollment && <Steps enrollment={enrollment} onDone={() => onClose(true)} />}
    </Dialog>
  );
}

function Steps({ enrollment, onDone }: { enrollment: Enrollment; onDone: () => void }) {
  async function verify(code: string) {
    if (!/^\d{6}$/.test(code)) return "The code has six digits.";
    const problem = await verifyAppCode(enrollment.id, code);
    if (problem === undefined) onDone();
    return problem;
  }
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center gap-5">
        <img
          src={enrollment.qrCode}
          alt="QR code to scan with your authenticator app"
          width={192}
          height={192}
          className="border-2 border-ink bg-white"
        />
        <div className="min-w-0 flex-1 basis-52">
          <p>Scan the QR code with your app, or enter this setup key:</p>
          <p className="mt-2 font-semibold tracking-wide tabular-nums" data-testid="secret">
            {enrollment.secret.match(/.{1,4}/g)?.join(" ")}
          </p>
          <div className="mt-2 flex flex-wrap gap-2">
            <CopyButton text={enrollment.secret} label="Copy Setup Key" />
            <Button asChild variant="secondary" size="small">
              <a href={enrollment.uri}>Open the App on This Device</a>
            </Button>
          </div>
        </div>
      </div>
      <CodeEntry
        name="Authenticator app"
        label="Code"
        hint="The six digits your app shows now."
        submit="Turn On"
        isNumber
        verify={verify}
      />
    </div>
  );
}
