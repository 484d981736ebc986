import { useFestival } from "#lib/festival/content.ts";
import { ContactLines } from "./contact-lines.tsx";
import { LegalPage } from "./legal-page.tsx";

const sections = [
  {
    title: "When you buy",
    content: (
      <>
        <p>
          Your account: your email address and your password, which is stored only as a hash that cannot be
          turned back.
        </p>
        <p>
          Your order: the buyer&apos;s name, email and phone, what was bought, and the name and email of each
          attendee. We use them to send tickets, to check them at the gate and to answer you. The network
          address you ordered from is kept for two days, against misuse.
        </p>
        <p>
          Your card number never reaches us. It goes straight to our payment provider; we keep the
          payment&apos;s reference and its result.
        </p>
      </>
    ),
  },
  {
    title: "When you apply or inquire",
    content: <p>What you write in the vendor and sponsor forms, so that we can decide and reply.</p>,
  },
  {
    title: "When you look around",
    content: (
      <>
        <p>
          Which page was opened, for how long, where the visit came from, and the kind of device and browser,
          under a number that your browser tab forgets when you close it. If you are signed in, your account
          is noted with it. We count visits by it and show no advertising.
        </p>
        <p>
          Your browser stores your sign-in and your cart for you. We set no cookies for advertising and load
          nothing from advertisers.
        </p>
      </>
    ),
  },
  {
    title: "When you delete your account",
    content: (
      <p>
        Your account is gone at once. What you paid for stays on record without it, and your name and
        addresses are removed from it 120 days after the festival. Until then we also keep a one-way hash of
        your email address, so that limits for each buyer still count if you come back.
      </p>
    ),
  },
  {
    title: "Who else sees it",
    content: (
      <p>
        The provider that takes your payment, the one that delivers our email, and the one that runs our
        servers, each for that work alone. We sell nothing about you to anybody.
      </p>
    ),
  },
  {
    title: "Your say",
    content: (
      <>
        <p>
          Write to us to see what we keep about you, to have it corrected, or to have it removed. Records of
          payments stay as long as tax law requires.
        </p>
        <ContactLines />
      </>
    ),
  },
] as const;

export function PrivacyScreen() {
  const { organiser } = useFestival();
  return (
    <LegalPage
      title="Privacy"
      lead={`What ${organiser} keeps about visitors and buyers, and why.`}
      sections={sections}
    />
  );
}
