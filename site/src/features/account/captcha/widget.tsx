// The widget of hCaptcha or Turnstile. Its maker's script is loaded with the first one, and draws it.
import { useEffect, useRef, useState } from "react";
import type { CaptchaSettings } from "#lib/api/auth-settings.ts";
import { Button } from "#ui/basics/button.tsx";
import { FieldError } from "#ui/forms/field.tsx";
import { CaptchaFailure, loadMaker } from "./makers.ts";

/** Both makers' usual widget; their compact one is half as wide. */
const USUAL_WIDTH = 304;

interface WidgetProps {
  captcha: CaptchaSettings;
  /** A request waits for the person. */
  isAwaited: boolean;
  /** Undefined when the last one has run out. */
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
      // Taken off the page a moment before this effect is.
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
    <div role="group" aria-label="Check that you are a person" className="space-y-3">
      <div ref={place} hidden={hasFailed} className="min-h-20" />
      {hasFailed && (
        <>
          <FieldError>{new CaptchaFailure().message}</FieldError>
          <Button variant="secondary" size="small" onClick={onRetry}>
            Load It Again
          </Button>
        </>
      )}
      {isAwaited && !isSolved && !hasFailed && (
        <p role="status" className="text-sm font-semibold">
          Please answer the check above. We go on by ourselves then.
        </p>
      )}
    </div>
  );
}
