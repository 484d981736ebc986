// The wizard's current step. It is kept in the history entry, so the browser's Back goes one step back; the entries survive
// a reload.
import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { stepIn } from "./vendor-form.ts";

export function useWizardStep() {
  const location = useLocation();
  const navigate = useNavigate();
  const [step, setStep] = useState(0);
  // After a reload a later step is shown although the user has not moved to it.
  const [moved, setMoved] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);

  const goTo = (next: number, replace = false) => {
    setMoved(true);
    if (next === step) return;
    // The previous history entry is the previous step, unless the visitor came another way.
    if (next === step - 1 && location.state?.cameForward) return void navigate(-1);
    void navigate(location.pathname + location.search, {
      state: { vendorStep: next, cameForward: next === step + 1 },
      replace,
      preventScrollReset: true,
    });
  };

  // In an effect: the prerendered page, which knows no history, has to be hydrated first.
  const named = stepIn(location.state);
  useEffect(() => setStep(named), [named]);

  // The pressed button disappears with its step, so the next step's heading receives focus.
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    if (!moved) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "nearest" });
  }, [step, moved]);

  return { step, goTo, heading };
}
