// Which of the gate's states a person sees: invited, signed out, without the role, removed, choosing, or scanning.
import { useEffect, useState, type ReactNode } from "react";
import { SESSION_KEY } from "#lib/api/supabase.ts";
import { readText } from "#lib/browser/stored-json.ts";
import { useSession } from "#lib/session/session.tsx";
import { Spinner } from "#ui/basics/spinner.tsx";
import type { GateEngine } from "../device/engine.ts";
import type { GateSnapshot } from "../device/snapshot.ts";
import { counted } from "../rules/words.ts";
import { useEngine, useGate } from "../use-engine.ts";
import { ChooseForm } from "./choose-form.tsx";
import { Invitation, useInvitation } from "./invitation.tsx";
import { Notice, Page } from "./page.tsx";
import { Scanner } from "./scanner.tsx";

interface GateScreenProps {
  /** The form that signs somebody in. */
  signIn: ReactNode;
}

export function GateScreen({ signIn }: GateScreenProps) {
  const engine = useEngine();
  if (!engine) return <Opening />;
  return <States engine={engine} signIn={signIn} />;
}

function States({ engine, signIn }: GateScreenProps & { engine: GateEngine }) {
  const gate = useGate(engine);
  const { status, signOut } = useSession();
  const [invitation, forgetInvitation] = useInvitation();
  // Offline a session that is due for renewal reads as signed out; while it is in storage it is not over.
  const hasSession = readText("local", SESSION_KEY) !== undefined;
  const isOut = status === "signed-out" && !hasSession;
  useEffect(() => {
    if (isOut) void engine.signedOut();
    else if (status === "signed-in") engine.tryNow();
  }, [engine, isOut, status]);

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
      <Page title="Gate" lead="Sign in to let people in.">
        <Waiting count={gate.pending} />
        <div className="gate-card">{signIn}</div>
        <p>At the gate for a day? Open the invitation link the organizers sent you.</p>
      </Page>
    );
  }
  return <SignedIn engine={engine} gate={gate} signOut={signOut} />;
}

interface SignedInProps {
  engine: GateEngine;
  gate: GateSnapshot;
  signOut: () => Promise<unknown>;
}

function SignedIn({ engine, gate, signOut }: SignedInProps) {
  const [choosing, setChoosing] = useState(false);
  const leave = () => void engine.leave().then(signOut);
  switch (gate.phase) {
    case "no_role":
      return (
        <Page title="No gate access" lead="This account may not work at the gate.">
          <p>Ask an administrator to give it the role “gate” under Users, or for an invitation link.</p>
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
        <Page title="No network" lead="This phone needs the network once, to fetch the lists.">
          <p>Afterwards it works without one.</p>
          {gate.trouble && <Notice tone="stop">{gate.trouble}</Notice>}
          <Waiting count={gate.pending} />
          <Buttons onRetry={engine.tryNow} onLeave={() => void signOut()} leaveWords="Sign out" />
        </Page>
      );
  }
}

function Removed({ engine, gate, signOut }: SignedInProps) {
  return (
    <Page title="Access removed" lead={removedWords[gate.removedFor ?? "role_removed"]} alert>
      <p>Names and lists have been removed from this phone. Do not let anybody in with it.</p>
      <Waiting count={gate.pending} />
      {gate.pending > 0 && (
        <p>An administrator can sync them by signing in here, or by restoring this device.</p>
      )}
      <Buttons onRetry={engine.tryNow} onLeave={() => void signOut()} leaveWords="Sign in as somebody else" />
    </Page>
  );
}

const removedWords = {
  device_revoked: "An administrator has revoked this device.",
  role_removed: "This account may no longer work at the gate.",
  invitation_revoked: "An administrator has taken this phone’s invitation back.",
  invitation_ended: "This phone’s invitation has ended.",
  unknown_device: "The server does not know this device.",
} as const;

function Buttons(props: { onRetry: () => void; onLeave: () => void; leaveWords: string }) {
  return (
    <div className="gate-stack">
      <button type="button" className="gate-button" data-main onClick={props.onRetry}>
        Check again
      </button>
      <button type="button" className="gate-button" onClick={props.onLeave}>
        {props.leaveWords}
      </button>
    </div>
  );
}

function Waiting({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Notice tone="wait">
      {counted(count, "scan")} {count === 1 ? "waits" : "wait"} on this phone and {count === 1 ? "is" : "are"}{" "}
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
