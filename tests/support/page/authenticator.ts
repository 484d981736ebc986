// Chromium's own authenticators, which respond as fingers and keys would.
import type { CDPSession, Page } from "@playwright/test";

/** A device that knows its user and keeps passkeys, or a key that is touched. */
export async function addAuthenticator(
  page: Page,
  kind: "device" | "key",
): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const isDevice = kind === "device";
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: isDevice ? "internal" : "usb",
      hasResidentKey: isDevice,
      hasUserVerification: isDevice,
      isUserVerified: isDevice,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}
