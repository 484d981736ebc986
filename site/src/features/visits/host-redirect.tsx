// Redirects a visitor from an alternate host to the canonical one. The server writes both into the page, and redirects by
// itself where it sees the host: this is for other ways of hosting the pages. The back office works on either.
import { useEffect, useState } from "react";
import { canonicalAddress } from "contract/canonical-address";
import { Spinner } from "#ui/basics/spinner.tsx";

export function HostRedirect() {
  const [target, setTarget] = useState<URL>();
  useEffect(() => {
    const found = canonicalAddress(new URL(location.href), meta("canonical-url"), meta("alternate-hosts"));
    if (!found) return;
    setTarget(found);
    location.replace(found);
  }, []);
  if (!target) return null;
  return (
    <div className="fixed inset-0 z-50 grid place-items-center bg-paper p-6">
      <p role="status" className="flex items-center gap-3 text-lg">
        <Spinner label={null} className="text-2xl" />
        Redirecting to {target.host}...
      </p>
    </div>
  );
}

function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
