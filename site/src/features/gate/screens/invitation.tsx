// An invitation link, /gate#invite=…: creates an account for this device for the day and signs it in. The token is in the
// fragment, which no server and no log sees.
import { useState, useSyncExternalStore } from "react";
import { gateLimits, readRedeemedGateInvitation } from "contract/gate";
import { tooLong } from "contract/text-limits";
import { callFunction } from "#lib/api/functions.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { logError } from "#lib/browser/error-log.ts";
import { readText, writeText } from "#lib/browser/stored-json.ts";
import { refusalWords } from "#lib/session/refusal-words.ts";
import { useFestival } from "#lib/festival/content.ts";
import type { GateEngine } from "../device/engine.ts";
import { Notice, Page } from "./page.tsx";
import { suggestedName } from "./suggested-name.ts";

/** This device's secret: after a lost response, the device finds the account created for it. */
const PHONE_KEY = "houston-culture-festival:gate-phone";
/** Valid for this visit, where the browser stores nothing. */
let thisVisit: string | undefined;

function phoneKey(): string {
  thisVisit = readText("local", PHONE_KEY) ?? thisVisit ?? crypto.randomUUID();
  writeText("local", PHONE_KEY, thisVisit);
  return thisVisit;
}

const INVITE = /^#invite=([\w-]{1,200})$/;

function follow(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export function useInvitation(): [token: string | undefined, forget: () => void] {
  const hash = useSyncExternalStore(
    follow,
    () => location.hash,
    () => "",
  );
  return [
    INVITE.exec(hash)?.[1],
    () => {
      history.replaceState(history.state, "", location.pathname);
      dispatchEvent(new HashChangeEvent("hashchange"));
    },
  ];
}

interface RedeemProps {
  engine: GateEngine;
  token: string;
  onDone: () => void;
}

interface InvitationProps extends RedeemProps {
  /** This device is signed in, so a user who opens the morning's link again need not start over. */
  isInUse: boolean;
}

export function Invitation({ isInUse, ...props }: InvitationProps) {
  const [wasInUse] = useState(isInUse);
  const [again, setAgain] = useState(false);
  if (!wasInUse || again) return <Redeem {...props} />;
  return (
    <Page title="Welcome back" lead="This phone is already signed in.">
      <div className="gate-stack">
        <button type="button" className="gate-button" data-main onClick={props.onDone}>
          Continue
        </button>
        <button type="button" className="gate-button" onClick={() => setAgain(true)}>
          Use the invitation
        </button>
      </div>
    </Page>
  );
}

function Redeem(props: RedeemProps) {
  const [name, setName] = useState(suggestedName);
  const { organizer, title, dateText, hoursText } = useFestival();
  const { busy, problem, redeem } = useRedeem(props);
  const long = tooLong(name, gateLimits.deviceName);

  return (
    <Page title="Welcome to the gate" lead={`${organizer} invites you to work the gate at the ${title}.`}>
      <p>
        {dateText}, {hoursText}. This link makes this phone a gate for one day.
      </p>
      <form
        className="gate-stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!long) void redeem(name.trim());
        }}
      >
        <label className="gate-field">
          Phone name
          <input value={name} onChange={(event) => setName(event.target.value)} autoComplete="off" />
        </label>
        {long && <Notice tone="stop">{long}.</Notice>}
        {problem && <Notice tone="stop">{problem}</Notice>}
        <button type="submit" className="gate-button" data-main disabled={busy}>
          {busy ? "One moment…" : "Start"}
        </button>
        {problem && (
          <button type="button" className="gate-button" onClick={props.onDone}>
            Sign in instead
          </button>
        )}
      </form>
    </Page>
  );
}

function useRedeem({ engine, token, onDone }: RedeemProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function redeem(deviceName: string) {
    setBusy(true);
    setProblem(undefined);
    try {
      const answer = await callFunction("redeem-gate-invitation", { token, phone: phoneKey() });
      const { token_hash } = readRedeemedGateInvitation(answer);
      const name = deviceName || suggestedName();
      engine.nameDevice(name);
      const supabase = await getSupabase();
      await engine.handOver(async () => {
        const { data, error } = await supabase.auth.verifyOtp({ type: "magiclink", token_hash });
        if (error) throw error;
        return data.user!.id;
      });
      // The invitation may name the entrance; otherwise the gate asks. If this call fails, the next one sends the name.
      await engine.choose(name).catch(() => engine.nameDevice(name));
      onDone();
    } catch (error) {
      logError("use a gate invitation", error);
      setProblem(refusalWords(error as Error));
    }
    setBusy(false);
  }
  return { busy, problem, redeem };
}
