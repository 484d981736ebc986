// The second step of signing in, where an account has one: a code from an app or a text message, a security key, or a recovery code.
import { useEffect, useRef, useState, type SubmitEvent } from "react";
import { typed } from "#lib/browser/typed.ts";
import { useSession } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import {
  factorsHere,
  type KnownFactor,
  sendCode,
  confirmWithKey,
  verifyCode,
  verifyRecoveryCode,
} from "./calls.ts";

type Way = KnownFactor | "recovery";

const isOf = (type: KnownFactor["type"]) => (way: Way) => way !== "recovery" && way.type === type;

/** Replaces itself: once the step is taken, the session says so and the page shows what it was asked for. */
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
                <Other key={factor.id} onChoose={() => setWay(factor)}>
                  {otherWay(factor)}
                </Other>
              ))}
            {way !== "recovery" && (
              <Other onChoose={() => setWay("recovery")}>Use a recovery code instead</Other>
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
        <CodeForm
          label="Code"
          hint="The six digits that your authenticator app shows now."
          isNumber
          verify={(code) => verifyCode(factor.id, code)}
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
    <CodeForm
      label="Recovery code"
      hint="One of the codes you kept when you set up two-step verification. Each works once."
      verify={verifyRecoveryCode}
    />
  );
}

interface CodeFormProps {
  label: string;
  hint: string;
  isNumber?: boolean;
  /** Answers why it was refused. */
  verify: (code: string) => Promise<string | undefined>;
}

function CodeForm({ label, hint, isNumber = false, verify }: CodeFormProps) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const code = typed(form, "code");
    if (code === "") return setProblem("Type the code.");
    setBusy(true);
    setProblem(undefined);
    const refused = await verify(isNumber ? code.replaceAll(/\s/g, "") : code);
    setBusy(false);
    setProblem(refused);
    if (refused !== undefined) form.querySelector("input")?.select();
  }
  return (
    <form noValidate aria-label="Second step" className="space-y-5" onSubmit={(event) => void submit(event)}>
      <Field label={label} hint={hint} required error={problem}>
        <Input
          name="code"
          autoComplete={isNumber ? "one-time-code" : "off"}
          inputMode={isNumber ? "numeric" : "text"}
          maxLength={isNumber ? 12 : 60}
          autoCapitalize="characters"
          spellCheck={false}
          className="font-semibold tracking-widest tabular-nums"
        />
      </Field>
      <Button type="submit" size="large" block busy={busy}>
        Confirm
      </Button>
    </form>
  );
}

function PhoneCode({ factor }: { factor: KnownFactor }) {
  const [challenge, setChallenge] = useState<string>();
  const [problem, setProblem] = useState<string>();
  async function send() {
    const sent = await sendCode(factor.id);
    if ("problem" in sent) setProblem(sent.problem);
    else setChallenge(sent.challengeId);
  }
  if (challenge === undefined) {
    return (
      <div className="space-y-4">
        <p>We can send a code to your phone.</p>
        {problem && <p role="alert">{problem}</p>}
        <Button onClick={() => void send()}>Send the Code</Button>
      </div>
    );
  }
  return (
    <CodeForm
      label="Code"
      hint="The code in the text message we have just sent you."
      isNumber
      verify={(code) => verifyCode(factor.id, code, challenge)}
    />
  );
}

function SecurityKey({ factor }: { factor: KnownFactor }) {
  const [problem, setProblem] = useState<string>();
  return (
    <div className="space-y-4">
      <p>Have your security key at hand, then follow your browser.</p>
      {problem && <p role="alert">{problem}</p>}
      <Button onClick={() => void confirmWithKey(factor.id).then(setProblem)}>Use Security Key</Button>
    </div>
  );
}
