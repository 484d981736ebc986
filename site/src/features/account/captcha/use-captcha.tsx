// Proof that a person is asking, where the server wants it: the widget for a form, and its token for the form's request.
import { type ReactNode, Suspense, useRef, useState } from "react";
import { authSettings, type CaptchaSettings, useAuthSettings } from "#lib/api/auth-settings.ts";
import { lazily } from "#ui/basics/lazily.ts";
import { Skeleton } from "#ui/page/skeleton.tsx";

const Widget = lazily(() => import("./widget.tsx"));

export interface Captcha {
  /** Stands above the form's button; nothing where no captcha is asked for. */
  readonly widget: ReactNode;
  /**
   * Does `work` with a token, undefined where none is needed. Waits until the person has been checked.
   * @throws Error with a sentence to show, when they cannot be
   */
  pass<Result>(work: (token: string | undefined) => Promise<Result>): Promise<Result>;
}

interface Waiting {
  goOn(token: string): void;
  giveUp(why: Error): void;
}

/** `onlyWhenAsked`: the widget appears with the first request, for what is rarely pressed. */
export function useCaptcha({ onlyWhenAsked = false } = {}): Captcha {
  const settings = useAuthSettings();
  /** Known from asking again, where the settings could not be read with the form. */
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
    // Without the settings the server says itself what is missing.
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
