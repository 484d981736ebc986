// Signing in or up with a mailed code: first the address, then the code. Visitors from checkout need no password.
import { useState } from "react";
import { type AwaitedCode, awaitCode, awaitedCode } from "../auth-entries.ts";
import { forgetDeadLink } from "../links/dead-link.ts";
import { CodeRequestForm } from "./code-request-form.tsx";
import { TypedCodeForm } from "./typed-code-form.tsx";

export function CodeForm() {
  // After a reload, the form still waits for the code instead of asking for the address.
  const [awaited, setAwaited] = useState<AwaitedCode | undefined>(awaitedCode);
  const remember = (next: AwaitedCode | undefined) => {
    forgetDeadLink();
    awaitCode(next);
    setAwaited(next);
  };
  if (!awaited) return <CodeRequestForm onSent={remember} />;
  return (
    <TypedCodeForm
      key={awaited.email}
      awaited={awaited}
      onSentAgain={remember}
      onOtherAddress={() => remember(undefined)}
    />
  );
}
