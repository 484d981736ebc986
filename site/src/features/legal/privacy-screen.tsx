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
          Your card number never reaches us. It goes straight to our payment provider. We keep only the
          payment's reference and result.
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
        servers, each only for that work. We never sell your information.
      </p>
    ),
  },
  {
    title: "Your choices",
    content: (
      <>
        <p>
          Write to us to see, correct or remove what we keep about you. We keep payment records as long as tax
          law requires.
        </p>
        <ContactLines />
      </>
    ),
  },
] as const;

export function PrivacyScreen() {
  const { organizer } = useFestival();
  return (
    <LegalPage
      title="Privacy"
      lead={`What ${organizer} keeps about visitors and buyers, and why.`}
      sections={sections}
    />
  );
}
