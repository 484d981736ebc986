// The two captcha providers: the addresses of their scripts, and the part of their APIs that we use, which is
// identical.
import { AccountError } from "../account-error.ts";

export class CaptchaFailure extends AccountError {
  constructor() {
    super("Human verification could not be loaded. Please check your connection and try again.");
  }
}

interface Maker {
  /** Renders a widget into the element. @returns its id */
  render(element: HTMLElement, options: Readonly<Record<string, unknown>>): string | number;
  remove(widget: string | number): void;
}

type Name = "hcaptcha" | "turnstile";
type Global = Partial<Record<Name, Maker>> & { captchaIsLoaded?: () => void };

const SCRIPTS: Readonly<Record<Name, string>> = {
  hcaptcha: "https://js.hcaptcha.com/1/api.js?recaptchacompat=off&",
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/api.js?",
};
const PATIENCE_MS = 20_000;

let loading: Promise<Maker> | undefined;

/** Rejects when the script does not load. The next call retries. */
export function loadMaker(name: Name): Promise<Maker> {
  loading ??= load(name).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

function load(name: Name): Promise<Maker> {
  const script = document.createElement("script");
  return new Promise<Maker>((done, fail) => {
    const global = globalThis as Global;
    setTimeout(fail, PATIENCE_MS);
    global.captchaIsLoaded = () => done(global[name]!);
    script.addEventListener("error", fail);
    script.src = `${SCRIPTS[name]}render=explicit&onload=captchaIsLoaded`;
    document.head.append(script);
  }).catch(() => {
    script.remove();
    throw new CaptchaFailure();
  });
}
