import { Suspense, useSyncExternalStore } from "react";
import { lazily } from "../basics/lazily.ts";
import { toastsWanted, type ToastEdge } from "./toast.ts";

const ToastHolder = lazily(() => import("./toast-holder.tsx"));

/** The site's toast holder; mount it once. Its library loads with the first toast. */
export function Toaster({ edge }: { edge: ToastEdge }) {
  const wanted = useSyncExternalStore(toastsWanted.subscribe, toastsWanted.get, () => false);
  return wanted ? (
    <Suspense>
      <ToastHolder edge={edge} />
    </Suspense>
  ) : null;
}
