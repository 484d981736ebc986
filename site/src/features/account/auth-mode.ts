// What /auth shows. Kept in the URL, so that mails can link to it and Back works.

export type AuthMode = "sign-in" | "code" | "sign-up" | "forgot" | "reset";

export function authMode(search: URLSearchParams): AuthMode {
  const mode = search.get("mode");
  return mode === "code" || mode === "sign-up" || mode === "forgot" || mode === "reset" ? mode : "sign-in";
}

export function authAddress(mode: AuthMode): string {
  return mode === "sign-in" ? "/auth" : `/auth?mode=${mode}`;
}

const pageTitles: Readonly<Record<AuthMode, string>> = {
  "sign-in": "Sign In",
  code: "Sign In by Email",
  "sign-up": "Create Account",
  forgot: "Reset Password",
  reset: "Set a New Password",
};

/** The page's title in the browser. */
export function authTitle(search: URLSearchParams): string {
  return pageTitles[authMode(search)];
}
