// A real OpenID Connect provider on loopback, and the browser that visits it. Visitors are signed in as the person the test sets,
// without a page in between.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly picture?: string;
  readonly [claim: string]: unknown;
}

export interface Issuer {
  readonly url: string;
  /** The person using the browser from now on. */
  person: Person;
  /** Answers access_denied on the next visits. */
  denies: boolean;
  /** The parameters of each visit. */
  readonly visits: URLSearchParams[];
  close(): Promise<void>;
}

export const CLIENT = { id: "festival", secret: "a client secret for tests" };

/** `callbacks`: the allowed return addresses. `pages`: shows its own pages instead of signing everybody in. */
export async function openIssuer(callbacks: readonly string[]): Promise<Issuer> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: Issuer = {
    url,
    person: { sub: "nobody" },
    denies: false,
    visits: [],
    close: () => closed(server),
  };
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [...callbacks],
        response_types: ["code"],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "picture", "hd", "given_name"],
      name: ["name"],
    },
    // Google and Apple put the profile into the id token.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => false },
    cookies: { keys: ["a key for tests"] },
    interactions: { url: (_: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => issuer.person }),
    // Every visit is a new person, signed in without a prompt.
    loadExistingGrant: async (ctx: any) => {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client.clientId,
        accountId: ctx.oidc.session.accountId,
      });
      grant.addOIDCScope("openid email profile name offline_access");
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  server.on("request", async (request, response) => {
    const address = new URL(request.url ?? "/", url);
    if (address.pathname === "/auth") issuer.visits.push(address.searchParams);
    if (!address.pathname.startsWith("/interaction/")) return callback(request, response);
    await provider.interactionFinished(
      request,
      response,
      issuer.denies
        ? { error: "access_denied", error_description: "The person said no" }
        : { login: { accountId: issuer.person.sub, remember: false } },
      { mergeWithLastSubmission: false },
    );
  });
  return issuer;
}

const closed = (server: Server) =>
  new Promise<void>((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

/**
 * Does what a browser does with `address` until it reaches `end`: follows redirects with the cookies it receives. Resolves with the
 * address it arrives at, or with the form it is told to post there.
 */
export async function visit(
  address: string,
  end: string,
): Promise<{ readonly url: URL; readonly form?: URLSearchParams }> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  for (let steps = 0; steps < 12; steps++) {
    if (url.href.startsWith(end)) return { url };
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const location = answer.headers.get("location");
    if (location === null) return posted(await answer.text(), url);
    url = new URL(location, url);
  }
  throw new Error(`the browser still wanders at ${url.href}`);
}

/** A page that submits a form automatically, as form_post and SAML's POST binding do. */
function posted(page: string, at: URL): { readonly url: URL; readonly form: URLSearchParams } {
  const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
  if (!action) throw new Error(`the browser is left at ${at.href}: ${page.slice(0, 300)}`);
  const form = new URLSearchParams();
  for (const [input] of page.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name) form.append(name, unescaped(/value="([^"]*)"/.exec(input)?.[1] ?? ""));
  }
  return { url: new URL(unescaped(action)), form };
}

const unescaped = (text: string) =>
  text.replace(/&(amp|quot|lt|gt|#x?[0-9a-f]+);/gi, (entity, name: string) => {
    if (name.startsWith("#x")) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith("#")) return String.fromCodePoint(Number(name.slice(1)));
    return { amp: "&", quot: '"', lt: "<", gt: ">" }[name] ?? entity;
  });
