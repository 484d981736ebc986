import { personalData } from "contract/personal-data";
import { useFestival } from "#lib/festival/content.ts";
import { ContactLines } from "./contact-lines.tsx";
import { LegalPage } from "./legal-page.tsx";

const sections = [
  {
    title: "What we keep",
    content: (
      <ul className="grid gap-5">
        {personalData.map(({ what, readBy, kept }) => (
          <li key={what}>
            <p className="font-semibold">{what}.</p>
            <p>Seen by: {readBy}.</p>
            <p>Kept: {kept}.</p>
          </li>
        ))}
      </ul>
    ),
  },
  {
    title: "Cards and cookies",
    content: (
      <>
        <p>
          Your card number never reaches us. It goes straight to our payment provider; we keep the
          payment&apos;s reference and its result.
        </p>
        <p>
          Your browser stores your sign-in and your cart for you. We set no cookies for advertising and load
          nothing from advertisers.
        </p>
      </>
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
