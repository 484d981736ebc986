// Which of the gate's states to show: invited, signed out, without the role, removed, choosing, or scanning.
import { useEffect, useState, type ReactNode } from "react";
import { festivalOf } from "contract/festival/facts";
import type { GateAccessRemoved } from "contract/gate";
import { SESSION_KEY } from "#lib/api/supabase.ts";
import { readText } from "#lib/browser/stored-json.ts";
import { festivalNow, showFacts } from "#lib/festival/content.ts";
import { count } from "#lib/format.ts";
import { useSession } from "#lib/session/session.tsx";
import { Spinner } from "#ui/basics/spinner.tsx";
import type { GateEngine } from "../device/engine.ts";
import { type GateSnapshot, hasBegun } from "../device/snapshot.ts";
import { useEngine, useGate } from "../use-engine.ts";
import { ChooseForm } from "./choose-form.tsx";
import { Invitation, useInvitation } from "./invitation.tsx";
import { Notice, Page } from "./page.tsx";
import { Scanner } from "./scanner.tsx";
import { Unreadable } from "./unreadable.tsx";
import { useStep } from "./use-step.ts";

interface GateScreenProps {
  /** The sign-in form. */
  signIn: ReactNode;
  /** The form for the second step. */
  secondStep: ReactNode;
}

export function GateScreen(forms: GateScreenProps) {
  const engine = useEngine();
  if (!engine) return <Opening />;
  if (engine === "none") return <NoGate />;
  return <States engine={engine} {...forms} />;
}

function States({ engine, signIn, secondStep }: GateScreenProps & { engine: GateEngine }) {
  const gate = useGate(engine);
  const { status, user, signOut } = useSession();
  const userId = user?.id;
  const [invitation, forgetInvitation] = useInvitation();
  // Offline, a session that is due for renewal reads as signed out. While it is in storage it is not over.
  const hasSession = readText("local", SESSION_KEY) !== undefined;
  const isOut = status === "signed-out" && !hasSession;
  const isOpen = hasBegun(gate);
  const facts = gate.opened?.settings.facts;
  useEffect(() => {
    if (facts) showFacts(festivalOf(facts, festivalNow().publishedAt));
  }, [facts]);
  useEffect(() => {
    if (!isOpen) return;
    if (isOut) void engine.signedOut();
    else if (userId !== undefined) void engine.signedIn(userId);
  }, [engine, isOpen, isOut, userId]);

  if (gate.phase === "unreadable") return <Unreadable engine={engine} />;
  if (!isOpen) return <Opening />;

  if (invitation) {
    return (
      <Invitation
        key={invitation}
        engine={engine}
        token={invitation}
        isInUse={hasSession}
        onDone={forgetInvitation}
      />
    );
  }
  if (isOut) {
    return (
      <Page title="Gate" lead="Sign in to scan guests in.">
        <Waiting scans={gate.pending} />
        <div className="gate-card">{signIn}</div>
        <p>Working the gate for a day? Open the invitation link the organizers sent you.</p>
      </Page>
    );
  }
  if (gate.phase === "second_step") return <SecondStepFirst engine={engine} secondStep={secondStep} />;
  return <SignedIn engine={engine} gate={gate} signOut={signOut} />;
}

/** The organizer requires it of everyone at the gate: users who have it set up pass it here, others set it up. */
function SecondStepFirst({ engine, secondStep }: { engine: GateEngine; secondStep: ReactNode }) {
  const { lacksSecondStep, signOut } = useSession();
  useEffect(() => {
    if (!lacksSecondStep) engine.tryNow();
  }, [engine, lacksSecondStep]);
  if (lacksSecondStep) return <SecondStep>{secondStep}</SecondStep>;
  return (
    <Page
      title="One thing first"
      lead="The gate requires two-step verification. After your password, you enter a code from an app on your phone."
    >
      <p>Set it up in your account, then come back.</p>
      <div className="gate-stack">
        <a className="gate-button" data-main href="/dashboard?back=/gate#security-title">
          Set it up
        </a>
        <button type="button" className="gate-button" onClick={() => void leaveGate(engine, signOut)}>
          Sign out
        </button>
      </div>
    </Page>
  );
}

function SecondStep({ children }: { children: ReactNode }) {
  useStep("Confirm It’s You");
  return (
    <main className="gate-page">
      <div className="gate-card">{children}</div>
    </main>
  );
}

interface SignedInProps {
  engine: GateEngine;
  gate: GateSnapshot;
  signOut: () => Promise<unknown>;
}

function SignedIn({ engine, gate, signOut }: SignedInProps) {
  const [choosing, setChoosing] = useState(false);
  const leave = () => void leaveGate(engine, signOut);
  switch (gate.phase) {
    case "no_role":
      return (
        <Page title="No gate access" lead="This account does not have gate access.">
          <p>Ask an administrator for the “gate” role, under Users, or for an invitation link.</p>
          <Buttons onRetry={engine.tryNow} onLeave={leave} leaveWords="Sign out" />
        </Page>
      );
    case "removed":
      return <Removed engine={engine} gate={gate} signOut={signOut} />;
    case "choose":
      return <ChooseForm engine={engine} gate={gate} onDone={() => setChoosing(false)} />;
    case "ready": {
      const stopChoosing = () => setChoosing(false);
      return choosing ? (
        <ChooseForm engine={engine} gate={gate} onDone={stopChoosing} onBack={stopChoosing} />
      ) : (
        <Scanner engine={engine} gate={gate} onChoose={() => setChoosing(true)} onLeave={leave} />
      );
    }
    default:
      return gate.offlineSince === undefined ? (
        <Opening />
      ) : (
        <Page title="No network" lead="This phone needs a connection once, to download the lists.">
          <p>After that, it works offline.</p>
          {gate.refusal && <Notice tone="stop">{gate.refusal}</Notice>}
          <Waiting scans={gate.pending} />
          <Buttons onRetry={engine.tryNow} onLeave={leave} leaveWords="Sign out" />
        </Page>
      );
  }
}

/** How long to wait for the server to end the session. Leaving the page in the meantime signs out all the same. */
const SIGN_OUT_WITHIN_MS = 4000;

async function leaveGate(engine: GateEngine, signOut: () => Promise<unknown>): Promise<void> {
  await engine.leave();
  const late = setTimeout(() => location.reload(), SIGN_OUT_WITHIN_MS);
  await signOut();
  clearTimeout(late);
}

function Removed({ engine, gate, signOut }: SignedInProps) {
  const { lead, back, canReturn } = removals[gate.removedFor ?? "role_removed"];
  return (
    <Page title="Access removed" lead={lead} alert>
      <p>Names and lists have been removed from this phone. Do not scan guests in with it.</p>
      <p>{back}</p>
      <Waiting scans={gate.pending} />
      {gate.pending > 0 && (
        <p>
          {gate.removedFor === "device_revoked"
            ? "An administrator who signs in here syncs those from before it was revoked. Later ones are synced once it is restored."
            : "An administrator can sync them by signing in here."}
        </p>
      )}
      <Buttons
        {...(canReturn ? { onRetry: engine.tryNow } : {})}
        onLeave={() => void signOut()}
        leaveWords={gate.removedFor === "session_ended" ? "Sign in again" : "Use another account"}
      />
    </Page>
  );
}

interface Removal {
  readonly lead: string;
  /** The way back in. */
  readonly back: string;
  /** The gate opens again without a new sign-in once an administrator has restored access. */
  readonly canReturn: boolean;
}

const removals: Readonly<Record<GateAccessRemoved, Removal>> = {
  device_revoked: {
    lead: "An administrator has revoked this phone.",
    back: "If that was a mistake, an administrator can restore it on the gate board.",
    canReturn: true,
  },
  role_removed: {
    lead: "An administrator removed the “gate” role from this account.",
    back: "If you are still on duty, ask an administrator to restore the role under Users.",
    canReturn: true,
  },
  invitation_revoked: {
    lead: "An administrator revoked this phone’s invitation.",
    back: "It cannot be restored. Ask for a new invitation link and open it on this phone.",
    canReturn: false,
  },
  invitation_ended: {
    lead: "This phone’s invitation has ended.",
    back: "For another day, ask for a new invitation link and open it on this phone.",
    canReturn: false,
  },
  session_ended: {
    lead: "This phone was signed out.",
    back: "The password was changed, or the account was signed out everywhere. Sign in again or open the invitation link.",
    canReturn: false,
  },
  unknown_device: {
    lead: "The server does not know this phone.",
    back: "Sign in again to register it.",
    canReturn: true,
  },
};

function Buttons(props: { onRetry?: () => void; onLeave: () => void; leaveWords: string }) {
  return (
    <div className="gate-stack">
      {props.onRetry && (
        <button type="button" className="gate-button" data-main onClick={props.onRetry}>
          Check again
        </button>
      )}
      <button type="button" className="gate-button" onClick={props.onLeave}>
        {props.leaveWords}
      </button>
    </div>
  );
}

function Waiting({ scans }: { scans: number }) {
  if (scans === 0) return null;
  return (
    <Notice tone="wait">
      {count(scans, "scan")} {scans === 1 ? "waits" : "wait"} on this phone and {scans === 1 ? "is" : "are"}{" "}
      kept.
    </Notice>
  );
}

function Opening() {
  return (
    <main className="gate-page">
      <h1 className="gate-title">Gate</h1>
      <p role="status" className="gate-lead">
        <Spinner label={null} /> Opening the gate…
      </p>
    </main>
  );
}

function NoGate() {
  return (
    <Page
      title="No gate here"
      lead={
        isSecureContext
          ? "This browser cannot be a gate. Open the gate in another browser, or on a newer phone."
          : "The gate needs https. Open it at its https address."
      }
      alert
    >
      <div className="gate-stack">
        <button type="button" className="gate-button" data-main onClick={() => location.reload()}>
          Try again
        </button>
      </div>
    </Page>
  );
}
