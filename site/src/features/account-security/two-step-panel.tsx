import { useState } from "react";
import { Link, useLocation } from "react-router";
import { USUAL_SECOND_STEPS, useAuthSettings } from "#lib/api/auth-settings.ts";
import { count, formatDay } from "#lib/format.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { secondStepProblem } from "#lib/session/second-step-codes.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { AuthenticatorAppDialog } from "./authenticator-app-dialog.tsx";
import { freeName } from "./free-name.ts";
import { Panel, Row, WhenRead } from "./panel.tsx";
import { PhoneDialog } from "./phone-dialog.tsx";
import { type Factor, useChange, useReadAgain, useSecondSteps } from "./queries.ts";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

const kinds: Readonly<Record<string, string>> = {
  totp: "Authenticator app",
  phone: "Text message",
  webauthn: "Security key",
};

export function TwoStepPanel({ userId }: { userId: string }) {
  const read = useSecondSteps(userId);
  const readAgain = useReadAgain(userId);
  return (
    <Panel
      title="Two-Step Verification"
      lead="After your password, you'll also use a code from your phone or a security key. Your password alone will no longer be enough."
    >
      <WhenRead read={read} what="two-step settings">
        {({ factors, codesLeft }) => (
          <SecondSteps {...{ userId, factors, codesLeft }} onChanged={() => void readAgain()} />
        )}
      </WhenRead>
    </Panel>
  );
}

interface SecondStepsProps {
  userId: string;
  factors: readonly Factor[];
  /** Undefined when there are none. */
  codesLeft: number | undefined;
  onChanged: () => void;
}

function SecondSteps({ userId, factors, codesLeft, onChanged }: SecondStepsProps) {
  const offered = useAuthSettings()?.secondSteps ?? USUAL_SECOND_STEPS;
  const [settingUp, setSettingUp] = useState<"app" | "phone">();
  const [codes, setCodes] = useState<"first" | "new">();
  const isOn = factors.length > 0;
  const hasCodes = codesLeft !== undefined;
  const offerCodes = () => {
    if (!hasCodes && offered.includes("recovery_code")) setCodes("first");
  };
  const close = (isDone: boolean) => {
    setSettingUp(undefined);
    onChanged();
    if (isDone) offerCodes();
  };
  return (
    <>
      <p className="mb-4">
        <Badge tone={isOn ? "success" : "default"}>{isOn ? "On" : "Off"}</Badge>
      </p>
      <ul>
        {factors.map((factor) => (
          <FactorRow key={factor.id} userId={userId} factor={factor} isLast={factors.length === 1} />
        ))}
        {isOn && (hasCodes || offered.includes("recovery_code")) && (
          <CodesRow codesLeft={codesLeft} onGet={() => setCodes(hasCodes ? "new" : "first")} />
        )}
      </ul>
      <div className="mt-4 flex flex-wrap gap-3">
        {offered.includes("totp") && (
          <Button variant={isOn ? "secondary" : "primary"} onClick={() => setSettingUp("app")}>
            {isOn ? "Add Another App" : "Set Up Two-Step Verification"}
          </Button>
        )}
        {offered.includes("phone") && (
          <Button variant="secondary" onClick={() => setSettingUp("phone")}>
            Add a Phone Number
          </Button>
        )}
        {offered.includes("webauthn") && <AddSecurityKey userId={userId} onAdded={offerCodes} />}
      </div>
      {isOn && <WayBack />}
      {settingUp === "app" && <AuthenticatorAppDialog onClose={close} />}
      {settingUp === "phone" && <PhoneDialog onClose={close} />}
      {codes && (
        <RecoveryCodesDialog
          replaces={codes === "new"}
          onClose={() => {
            setCodes(undefined);
            onChanged();
          }}
        />
      )}
    </>
  );
}

/** Back to where the second step was required: the back office, or the gate, which is a separate document. */
function WayBack() {
  const back = new URLSearchParams(useLocation().search).get("back") ?? "";
  const isOffice = /^\/admin(\/|$)/.test(back);
  if (!isOffice && back !== "/gate") return null;
  return (
    <Button asChild className="mt-6">
      {isOffice ? <Link to={back}>Back to the Back Office</Link> : <a href={back}>Back to the Gate</a>}
    </Button>
  );
}

function CodesRow({ codesLeft, onGet }: { codesLeft: number | undefined; onGet: () => void }) {
  return (
    <Row
      title="Recovery codes"
      detail={
        codesLeft === undefined
          ? "None. If you lose your phone, you'll be locked out."
          : `${count(codesLeft, "code")} left, in case you lose your phone.`
      }
    >
      <Button size="small" variant="secondary" onClick={onGet}>
        {codesLeft === undefined ? "Get Recovery Codes" : "Replace Recovery Codes"}
      </Button>
    </Row>
  );
}

function AddSecurityKey({ userId, onAdded }: { userId: string; onAdded: () => void }) {
  const add = useChange(
    userId,
    { done: "Security key added", failed: "No security key was added" },
    async () => {
      const free = await freeName("webauthn", "Security key");
      if ("problem" in free) return { error: { message: free.problem } };
      const { mfa } = (await getSupabase()).auth;
      const { error } = await mfa.webauthn.register({ friendlyName: free.name });
      if (error === null) return { error };
      // A server error has a status, a browser error has none.
      const message =
        "status" in error && error.status !== undefined
          ? secondStepProblem(error)!
          : "Your browser didn't confirm a security key. Please try again.";
      return { error: { message } };
    },
  );
  return (
    <Button
      variant="secondary"
      busy={add.isPending}
      onClick={() => add.mutate(undefined, { onSuccess: onAdded })}
    >
      Add a Security Key
    </Button>
  );
}

function FactorRow({ userId, factor, isLast }: { userId: string; factor: Factor; isLast: boolean }) {
  const [asking, setAsking] = useState(false);
  const name = factor.friendly_name || kinds[factor.factor_type] || "Verification method";
  const remove = useChange(
    userId,
    { done: "Verification method removed", failed: "The verification method was not removed" },
    async () => {
      const { mfa, ...auth } = await authOf();
      // The recovery codes stand in for the last factor, so remove them first.
      if (isLast) {
        const { error } = await mfa.recoveryCodes.unenroll();
        const hadNone = error?.code === "mfa_factor_not_found";
        if (error && !hadNone) return { error };
      }
      const answer = await mfa.unenroll({ factorId: factor.id });
      if (!answer.error) await auth.refresh();
      return answer;
    },
  );
  return (
    <Row title={name} detail={`${kinds[factor.factor_type] ?? ""} · added ${formatDay(factor.created_at)}`}>
      <Button
        size="small"
        variant="danger"
        busy={remove.isPending}
        onClick={() => setAsking(true)}
        aria-label={`Remove: ${name}`}
      >
        Remove
      </Button>
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Remove “${name}”?`}
        confirmLabel="Remove"
        cancelLabel="Keep"
        destructive
        onConfirm={() => remove.mutate()}
      >
        {isLast
          ? "Your password alone will sign you in again, and your recovery codes stop working."
          : "It can no longer be used to sign in."}
      </AlertDialog>
    </Row>
  );
}

async function authOf() {
  const { auth } = await getSupabase();
  return { mfa: auth.mfa, refresh: () => auth.refreshSession() };
}
