// Whether strangers can reach this server. The stand-ins for mail and payments are for a developer's own machine: in public
// they would reveal everyone's sign-in links and give tickets away.
import type { Config } from "./platform/config.ts";
import { StartError } from "./platform/start-error.ts";
import { isLoopback } from "./private-pages.ts";

/** Why other machines can reach it; undefined when only this one can. */
export function exposedBy({ host, siteUrl, production, trustedProxies }: Exposed): string | undefined {
  if (production) return "NODE_ENV is production";
  if (!isLoopback(host)) return `HOST is ${host}`;
  if (siteUrl !== undefined && isPublicAddress(siteUrl)) return `SITE_URL is ${siteUrl}`;
  return trustedProxies.length > 0 ? "TRUSTED_PROXIES names a proxy" : undefined;
}

/** Whether the URL leads to a machine other than the reader's own. */
export const isPublicAddress = (url: string): boolean =>
  !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));

type Exposed = Pick<Config, "host" | "siteUrl" | "production" | "trustedProxies">;

/** Throws StartError, whose message says what to set. */
export function refuseStandInsInPublic(
  config: Exposed & Pick<Config, "smtpUrl" | "mailbox" | "stripe" | "sandboxAllowed" | "alertEmail">,
): void {
  if (config.stripe !== undefined && config.alertEmail === undefined) {
    throw new StartError(
      "Payments are real, and no one would be alerted when one needs attention. Set ALERT_EMAIL to an address your team reads.",
    );
  }
  const reason = exposedBy(config);
  if (reason === undefined) return;
  const problems = [
    ...(config.smtpUrl === undefined && !config.mailbox
      ? [
          "Emails can't be sent: set SMTP_URL, or MAILBOX=true to keep it in a mailbox behind the administrator's sign-in.",
        ]
      : []),
    ...(config.stripe === undefined && !config.sandboxAllowed
      ? [
          "Payments are a sandbox: set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET, or " +
            "PAYMENTS_SANDBOX=true to sell nothing for real.",
        ]
      : []),
  ];
  if (problems.length === 0) return;
  throw new StartError(`Others can reach this server: ${reason}.\n${problems.join("\n")}`);
}
