// Signing in, or up, with a code by mail: the address first, then the code. Who comes from checkout needs no password.
import { useState } from "react";
import { type AwaitedCode, awaitCode, awaitedCode } from "./auth-entries.ts";
import { CodeRequestForm } from "./code-request-form.tsx";
import { TypedCodeForm } from "./typed-code-form.tsx";

export function CodeForm() {
  // A reload asks for the code again, not for the address.
  const [awaited, setAwaited] = useState<AwaitedCode | undefined>(awaitedCode);
  const remember = (next: AwaitedCode | undefined) => {
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
