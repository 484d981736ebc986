// Who may open the mailbox where other machines can reach the server: administrators.
import { createHash } from "node:crypto";
import { type Page, refusePage } from "../../server/src/private-pages.ts";

export interface AdministratorDeps {
  /** The API, called with the caller's own address, so that wrong guesses count against the caller. */
  readonly api: (request: Request, caller: { readonly ip: string }) => Promise<Response>;
  readonly apiUrl: string;
  readonly anonKey: string;
  readonly now: () => number;
}

const REMEMBERED_MS = 60_000;

/** Requires e-mail and password by HTTP Basic authentication, and admits administrators. */
export function forAdministrators(page: Page, deps: AdministratorDeps): Page {
  let known: { readonly proof: string; readonly until: number } | undefined;

  async function isAdministrator(email: string, password: string, caller: { readonly ip: string }) {
    const ask = async (path: string, body: object, token = deps.anonKey) => {
      const headers = {
        apikey: deps.anonKey,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await deps.api(new Request(deps.apiUrl + path, init), caller);
      return answer.ok ? answer.json().catch(() => undefined) : undefined;
    };
    const session = await ask("/auth/v1/token?grant_type=password", { email, password });
    const token = (session as { access_token?: string } | undefined)?.access_token;
    if (token === undefined) return false;
    const answer = await ask("/rest/v1/rpc/is_admin", {}, token);
    await ask("/auth/v1/logout?scope=local", {}, token);
    return answer === true;
  }

  return {
    async fetch(request, caller) {
      const header = request.headers.get("authorization") ?? "";
      const [email, password] = credentialsIn(header) ?? [];
      const proof = createHash("sha256").update(header).digest("hex");
      const isKnown = known?.proof === proof && known.until > deps.now();
      if (!isKnown) {
        if (
          email === undefined ||
          password === undefined ||
          !(await isAdministrator(email, password, caller))
        ) {
          const challenge = 'Basic realm="Mailbox: an administrator\'s sign-in", charset="UTF-8"';
          return refusePage(401, "The mailbox is for administrators only.", {
            "www-authenticate": challenge,
          });
        }
        known = { proof, until: deps.now() + REMEMBERED_MS };
      }
      return page.fetch(request, caller);
    },
  };
}

function credentialsIn(header: string): [email: string, password: string] | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(header)?.[1];
  const [, email, password] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString("utf8")) ?? [];
  return email === undefined || password === undefined ? undefined : [email, password];
}
