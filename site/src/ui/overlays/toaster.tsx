import { Suspense, useSyncExternalStore } from "react";
import { lazily } from "../basics/lazily.ts";
import { loadToasts } from "./toast-library.ts";
import { toastsWanted, type ToastEdge } from "./toast.ts";

const ToastHolder = lazily(loadToasts);

/** The site's toast holder; mount it once. Its library loads with the first toast, or before it: toast-library.ts. */
export function Toaster({ edge }: { edge: ToastEdge }) {
  const wanted = useSyncExternalStore(toastsWanted.subscribe, toastsWanted.get, () => false);
  return wanted ? (
    <Suspense>
      <ToastHolder edge={edge} />
    </Suspense>
  ) : null;
}
