// The ways out of the organizers' messages, by the token that SQL makes (`opt_out_token`).
import type { FunctionDeps } from "../deps.ts";

/** For people. The token is in the fragment, which no server and no log sees. */
export const unsubscribePage = ({ siteUrl }: Pick<FunctionDeps, "siteUrl">, token: string): string =>
  `${siteUrl}/unsubscribe#${encodeURIComponent(token)}`;

/** For mail programs, which post to it (RFC 8058). */
export const oneClickUrl = ({ functionsUrl }: Pick<FunctionDeps, "functionsUrl">, token: string): string =>
  `${functionsUrl}/unsubscribe?token=${encodeURIComponent(token)}`;
