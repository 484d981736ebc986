// The stand-ins for mail and payments are for a developer's own machine: in public they would reveal everyone's sign-in links
// and give tickets away.
import { exposedBy, type Exposed } from "../../server/src/exposure.ts";
import { StartError } from "../../server/src/platform/start-error.ts";
import type { Config } from "./config.ts";

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
