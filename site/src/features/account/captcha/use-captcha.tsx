// Proof that a person is making the request, where the server requires it: the widget for a form, and its token for the
// form's request.
import { type ReactNode, Suspense, useRef, useState } from "react";
import { authSettings, type CaptchaSettings, useAuthSettings } from "#lib/api/auth-settings.ts";
import { lazily } from "#ui/basics/lazily.ts";
import { Skeleton } from "#ui/page/skeleton.tsx";

const Widget = lazily(() => import("./widget.tsx"));

export interface Captcha {
  /** Placed above the form's button. Renders nothing where no captcha is required. */
  readonly widget: ReactNode;
  /**
   * Runs `work` with a token, or with undefined where none is needed. Waits until the person has passed the check.
   * @throws Error with a message to show, when they cannot be checked
   */
  pass<Result>(work: (token: string | undefined) => Promise<Result>): Promise<Result>;
}

interface Waiting {
  goOn(token: string): void;
  giveUp(why: Error): void;
}

/** With `onlyWhenAsked`, the widget appears with the first request, for buttons that are rarely pressed. */
export function useCaptcha({ onlyWhenAsked = false } = {}): Captcha {
  const settings = useAuthSettings();
  /** From the retry, when the settings could not be read with the form. */
  const [late, setLate] = useState<CaptchaSettings>();
  const captcha = settings?.captcha ?? late;
  const [round, setRound] = useState(0);
  const [isAwaited, setIsAwaited] = useState(false);
  const token = useRef<string>(undefined);
  const failed = useRef(false);
  const waiting = useRef<Waiting>(undefined);

  const begin = () => {
    failed.current = false;
    setRound((last) => last + 1);
  };
  const tokenOfPerson = () =>
    new Promise<string>((goOn, giveUp) => {
      if (token.current !== undefined) return goOn(token.current);
      waiting.current = { goOn, giveUp };
      if (failed.current) begin();
    });

  async function pass<Result>(work: (token: string | undefined) => Promise<Result>): Promise<Result> {
    // Without the settings, send the request anyway: the server's error names what is missing.
    const known = await authSettings().catch(() => undefined);
    if (!known?.captcha) return work(undefined);
    setLate(known.captcha);
    setIsAwaited(true);
    try {
      return await work(await tokenOfPerson());
    } finally {
      // A token is good for one request.
      token.current = waiting.current = undefined;
      setIsAwaited(false);
      begin();
    }
  }

  const shown = isAwaited || !onlyWhenAsked ? captcha : undefined;
  return {
    pass,
    widget: shown ? (
      <Suspense fallback={<Skeleton className="h-20" />}>
        <Widget
          key={round}
          captcha={shown}
          isAwaited={isAwaited}
          onToken={(fresh) => {
            token.current = fresh;
            if (fresh !== undefined) waiting.current?.goOn(fresh);
          }}
          onFailure={(why) => {
            failed.current = true;
            waiting.current?.giveUp(why);
          }}
          onRetry={begin}
        />
      </Suspense>
    ) : null,
  };
}
