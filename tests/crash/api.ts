// The server over HTTP as its users reach it, at its current address. No call rejects: a broken connection is an answer with
// status 0, because that is what a crash looks like from outside.
import type { Answer, ShopClient } from "../promise/shopper.ts";
import type { Steps } from "./steps.ts";

/** Where the server is, as its last start reported; undefined before the first. */
export type Whereabouts = () => Readonly<Record<string, string>>;

interface Account {
  readonly email: string;
  readonly password: string;
}

export interface Person extends ShopClient {
  rpc(name: string, body: object): Promise<Answer>;
  signOut(): void;
}

export interface Api {
  /** A person's calls; signs in when necessary. */
  person(account: Account): Person;
  /** A job, called as the service. */
  job(name: string): Promise<boolean>;
  addAccount(account: Account): Promise<Answer>;
}

const BROKEN_MS = 20_000;
/** A job may have much to do after a crash. */
const JOB_MS = 300_000;

export function createApi(whereabouts: Whereabouts, steps: Pick<Steps, "reached">): Api {
  async function ask(path: string, init: RequestInit, withinMs = BROKEN_MS): Promise<Answer> {
    try {
      const answer = await fetch(`${whereabouts().API_URL}${path}`, {
        ...init,
        signal: AbortSignal.timeout(withinMs),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
    } catch (error) {
      return { status: 0, body: { error: { message: String(error) } } };
    }
  }
  function post(
    path: string,
    body: object,
    token: string,
    { headers = {}, withinMs }: { headers?: Record<string, string>; withinMs?: number } = {},
  ): Promise<Answer> {
    const own = {
      "content-type": "application/json",
      apikey: whereabouts().ANON_KEY!,
      authorization: `Bearer ${token}`,
    };
    const init = { method: "POST", headers: { ...own, ...headers }, body: JSON.stringify(body) };
    return ask(path, init, withinMs);
  }
  const postWithServiceKey = (path: string, body: object, withinMs?: number) =>
    post(path, body, whereabouts().SERVICE_ROLE_KEY!, withinMs === undefined ? {} : { withinMs });

  function person({ email, password }: Account): Person {
    let token: string | undefined;
    async function signedIn(path: string, body: object, headers?: Record<string, string>): Promise<Answer> {
      if (token === undefined) {
        steps.reached("sign-in sent");
        const answer = await post(
          "/auth/v1/token?grant_type=password",
          { email, password },
          whereabouts().ANON_KEY!,
        );
        if (answer.status !== 200) return { ...answer, status: 0 };
        token = answer.body.access_token as string;
      }
      const answer = await post(path, body, token, headers && { headers });
      if (answer.status === 401) token = undefined;
      return answer.status === 401 ? { ...answer, status: 0 } : answer;
    }
    return {
      signOut: () => {
        token = undefined;
      },
      async call(name, body, key) {
        const order = name === "create-payment-intent";
        steps.reached(order ? "order sent" : "tickets asked for");
        const answer = await signedIn(`/functions/v1/${name}`, body, key ? { "idempotency-key": key } : {});
        steps.reached(order ? "order answered" : "tickets answered");
        return answer;
      },
      async provider(path, form) {
        steps.reached("payment sent");
        const { body } = await post("/functions/v1/payment-config", {}, whereabouts().ANON_KEY!);
        const answer = await ask(`/v1/${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${body?.publishableKey}` },
          body: new URLSearchParams(form),
        });
        steps.reached("payment answered");
        return answer.status === 401 ? { ...answer, status: 0 } : answer;
      },
      async rpc(name, body) {
        steps.reached("refund sent");
        const answer = await signedIn(`/rest/v1/rpc/${name}`, body);
        steps.reached("refund answered");
        return answer;
      },
    };
  }

  return {
    person,
    async job(name) {
      if (name === "drain-outbox") steps.reached("outbox about to drain");
      if (name === "expire-holds") steps.reached("holds about to expire");
      if (name === "reconcile-payments") steps.reached("payments about to be reconciled");
      return (await postWithServiceKey(`/functions/v1/${name}`, {}, JOB_MS)).status === 200;
    },
    addAccount: ({ email, password }) =>
      postWithServiceKey("/auth/v1/admin/users", { email, password, email_confirm: true }),
  };
}
