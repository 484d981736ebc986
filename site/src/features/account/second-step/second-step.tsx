// The second step of signing in, for accounts that have one: a code from an app or a text message, a security key, or a recovery
// code.
import { useEffect, useRef, useState } from "react";
import { sendCode, verifyAppCode, verifyTextedCode } from "#lib/session/second-step-codes.ts";
import { useSession } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { CodeEntry } from "#ui/forms/code-entry.tsx";
import { TextedCode } from "#ui/forms/texted-code.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { confirmWithKey, factorsHere, type KnownFactor, verifyRecoveryCode } from "./calls.ts";

const form = { name: "Two-step verification", submit: "Confirm" };

type Way = KnownFactor | "recovery";

const isOf = (type: KnownFactor["type"]) => (way: Way) => way !== "recovery" && way.type === type;

/** Goes away by itself: once the step is passed, the session reports it and the page shows the requested content. */
export default function SecondStep({ heading: Heading }: { heading: "h1" | "h2" }) {
  const { signOut } = useSession();
  const [factors, setFactors] = useState<readonly KnownFactor[]>();
  const [way, setWay] = useState<Way>();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus();
    void factorsHere().then((found) => {
      setFactors(found);
      setWay(found.find(isOf("totp")) ?? found[0] ?? "recovery");
    });
  }, []);
  function choose(other: Way) {
    setWay(other);
    // The button that was pressed is gone.
    title.current?.focus();
  }
  return (
    <div>
      <Heading ref={title} tabIndex={-1} className="display text-title outline-none">
        Confirm It&apos;s You
      </Heading>
      {way === undefined || factors === undefined ? (
        <Skeleton className="mt-6 h-40" />
      ) : (
        <>
          <div className="mt-4">
            {way === "recovery" ? <RecoveryCode /> : <Answer key={way.id} factor={way} />}
          </div>
          <div className="mt-6 flex flex-col items-start gap-2">
            {factors
              .filter((factor) => factor !== way)
              .map((factor) => (
                <Other key={factor.id} onChoose={() => choose(factor)}>
                  {otherWay(factor)}
                </Other>
              ))}
            {way !== "recovery" && (
              <Other onChoose={() => choose("recovery")}>Use a recovery code instead</Other>
            )}
            <Other onChoose={() => void signOut()}>Sign out</Other>
          </div>
        </>
      )}
    </div>
  );
}

function otherWay({ type, name }: KnownFactor): string {
  const named = name ? ` (${name})` : "";
  return {
    totp: `Use your app${named}`,
    phone: `Get a text message${named}`,
    webauthn: `Use your security key${named}`,
  }[type];
}

function Other({ onChoose, children }: { onChoose: () => void; children: string | string[] }) {
  return (
    <button
      type="button"
      className="inline-flex min-h-11 items-center text-left font-semibold underline underline-offset-4 wrap-anywhere hover:text-candy-deep"
      onClick={onChoose}
    >
      {children}
    </button>
  );
}

function Answer({ factor }: { factor: KnownFactor }) {
  switch (factor.type) {
    case "totp":
      return (
        <CodeEntry
          {...form}
          label="Code"
          hint="The six digits your authenticator app shows now."
          isNumber
          takesFocus
          verify={(code) => verifyAppCode(factor.id, code)}
        />
      );
    case "phone":
      return <PhoneCode factor={factor} />;
    case "webauthn":
      return <SecurityKey factor={factor} />;
  }
}

function RecoveryCode() {
  return (
    <CodeEntry
      {...form}
      label="Recovery code"
      hint="One of the codes you saved when you set up two-step verification. Each works once."
      takesFocus
      verify={verifyRecoveryCode}
    />
  );
}

function PhoneCode({ factor }: { factor: KnownFactor }) {
  const [challenge, setChallenge] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  async function send(): Promise<string | undefined> {
    const sent = await sendCode(factor.id);
    if ("problem" in sent) return sent.problem;
    setChallenge(sent.challengeId);
    return undefined;
  }
  async function begin() {
    setBusy(true);
    setProblem(undefined);
    setProblem(await send());
    setBusy(false);
  }
  if (challenge === undefined) {
    return (
      <div className="space-y-4">
        <p>We can send a code to your phone.</p>
        {problem && <p role="alert">{problem}</p>}
        <Button busy={busy} onClick={() => void begin()}>
          Send the Code
        </Button>
      </div>
    );
  }
  return (
    <TextedCode
      {...form}
      to={factor.name || "your phone"}
      sendAgain={send}
      verify={(code) => verifyTextedCode(factor.id, challenge, code)}
    />
  );
}

function SecurityKey({ factor }: { factor: KnownFactor }) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  async function confirm() {
    setBusy(true);
    setProblem(await confirmWithKey(factor.id));
    setBusy(false);
  }
  return (
    <div className="space-y-4">
      <p>Have your security key ready, then follow your browser's steps.</p>
      {problem && <p role="alert">{problem}</p>}
      <Button busy={busy} onClick={() => void confirm()}>
        Use Security Key
      </Button>
    </div>
  );
}
