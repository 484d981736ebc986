import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { toast as sonner, Toaster as Sonner } from "sonner";
import { choosePosition, isFocusCovered, PHONE_BOTTOM, topOffset } from "./toast-position.ts";
import { holdToasts, type ToastEdge, type ToastMessage } from "./toast.ts";

const colors = {
  default: "border-ink! bg-paper! text-ink!",
  success: "border-ink! bg-bayou-deep! text-white!",
  destructive: "border-ink! bg-candy-deep! text-white!",
} satisfies Record<ToastMessage["tone"], string>;

const phone = matchMedia("(max-width: 639px)");
function onPhoneChange(listener: () => void) {
  phone.addEventListener("change", listener);
  return () => phone.removeEventListener("change", listener);
}

/** At most three toasts, for 4 s each, or 5 s after a failure or with an action, unless that stays. */
export default function ToastHolder({ edge }: { edge: ToastEdge }) {
  const onPhone = useSyncExternalStore(onPhoneChange, () => phone.matches);
  const [place, setPlace] = useState(() => choosePosition(edge, onPhone));
  const choose = useEffectEvent(() => setPlace(choosePosition(edge, onPhone)));
  // A parent's effect runs after its child's, so sonner is listening before the first message arrives.
  useEffect(
    () =>
      holdToasts(({ tone, title, description, action }) => {
        if (!document.querySelector("[data-sonner-toast]") || isFocusCovered()) choose();
        const options = {
          description,
          className: colors[tone],
          duration: action?.stays ? Infinity : tone === "destructive" || action ? 5000 : 4000,
          ...(action && { action: { label: action.label, onClick: action.run } }),
        };
        const show =
          tone === "destructive" ? sonner.error : tone === "success" ? sonner.success : sonner.message;
        const id = show(title, options);
        return () => void sonner.dismiss(id);
      }),
    [],
  );
  useEffect(() => {
    const look = () => void (isFocusCovered() && choose());
    document.addEventListener("focusin", look);
    return () => document.removeEventListener("focusin", look);
  }, []);
  return (
    <Sonner
      position={place}
      offset={{ top: `${topOffset(edge)}rem` }}
      mobileOffset={{ top: `${topOffset(edge)}rem`, bottom: `${PHONE_BOTTOM}rem` }}
      visibleToasts={3}
      closeButton
      toastOptions={{
        classNames: {
          toast: "rounded-none! border-2! shadow-[5px_5px_0_0_var(--color-ink)]! font-text!",
          title: "text-base! font-bold!",
          description: "text-current! text-base! leading-snug!",
          actionButton: "min-h-9! rounded-none! bg-paper! px-3! text-base! font-bold! text-ink!",
          closeButton: "size-6! border-2! border-ink! bg-paper! text-ink!",
        },
      }}
    />
  );
}
