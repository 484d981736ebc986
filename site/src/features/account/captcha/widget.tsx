// The widget of hCaptcha or Turnstile. The provider's script loads with the first widget and renders it.
import { useEffect, useRef, useState } from "react";
import type { CaptchaSettings } from "#lib/api/auth-settings.ts";
import { Button } from "#ui/basics/button.tsx";
import { FieldError } from "#ui/forms/field.tsx";
import { CaptchaFailure, loadMaker } from "./makers.ts";

/** The normal widget of both providers. Their compact one is half as wide. */
const USUAL_WIDTH = 304;

interface WidgetProps {
  captcha: CaptchaSettings;
  /** A request is waiting for the check. */
  isAwaited: boolean;
  /** Undefined when the last token has expired. */
  onToken: (token: string | undefined) => void;
  onFailure: (why: Error) => void;
  onRetry: () => void;
}

export default function Widget({ captcha, isAwaited, onToken, onFailure, onRetry }: WidgetProps) {
  const place = useRef<HTMLDivElement>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const [isSolved, setIsSolved] = useState(false);
  const handlers = useRef({ onToken, onFailure });
  useEffect(() => {
    handlers.current = { onToken, onFailure };
  });

  useEffect(() => {
    let isGone = false;
    let remove = () => {};
    const say = (token: string | undefined) => {
      setIsSolved(token !== undefined);
      handlers.current.onToken(token);
    };
    const fail = () => {
      if (isGone) return;
      setHasFailed(true);
      say(undefined);
      handlers.current.onFailure(new CaptchaFailure());
    };
    loadMaker(captcha.provider).then((maker) => {
      const element = place.current;
      // The element is removed from the page shortly before this effect is cleaned up.
      if (isGone || !element) return;
      const widget = maker.render(element, {
        sitekey: captcha.site_key,
        size: element.clientWidth < USUAL_WIDTH ? "compact" : "normal",
        theme: "light",
        callback: say,
        "expired-callback": () => say(undefined),
        "error-callback": fail,
      });
      remove = () => maker.remove(widget);
    }, fail);
    return () => {
      isGone = true;
      remove();
    };
  }, [captcha.provider, captcha.site_key]);

  return (
    <div role="group" aria-label="Human verification" className="space-y-3">
      <div ref={place} hidden={hasFailed} className="min-h-20" />
      {hasFailed && (
        <>
          <FieldError>{new CaptchaFailure().message}</FieldError>
          <Button variant="secondary" size="small" onClick={onRetry}>
            Reload
          </Button>
        </>
      )}
      {isAwaited && !isSolved && !hasFailed && (
        <p role="status" className="text-sm font-semibold">
          Please complete the check above. We'll continue automatically.
        </p>
      )}
    </div>
  );
}
