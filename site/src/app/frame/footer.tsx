import { Link } from "react-router";
import { useFestival } from "#lib/festival/content.ts";
import { EmailText } from "#ui/basics/email-text.tsx";
import { navigationLinks, smallPrintLinks } from "./links.ts";
import { SocialLinks } from "./social-links.tsx";

const currentYear = () => new Date().getFullYear();

/** The year in the built page may be out of date, and hydration does not correct text. Use the browser's clock. */
function writeCurrentYear(span: HTMLElement | null) {
  if (span) span.textContent = String(currentYear());
}

export default function Footer() {
  const { title, description, date, dateTextOrdinal } = useFestival();
  return (
    <footer data-typed="" className="on-ink relative overflow-hidden" data-print="never">
      <div
        aria-hidden="true"
        className="halftone absolute -top-24 -right-24 size-96 rounded-full text-slab"
      />
      <div className="page-width relative grid gap-x-8 gap-y-10 pt-16 pb-10 md:grid-cols-[1.2fr_1fr_1.35fr] lg:gap-x-12 lg:grid-cols-[1.6fr_1fr_1fr] *:min-w-0">
        <div>
          <p className="display text-title text-brisket">{title}</p>
          <p className="mt-4 max-w-md">{description}</p>
          <p className="display mt-5 inline-block bg-candy px-3 py-1.5 text-xl font-bold! text-white">
            <time dateTime={date}>{dateTextOrdinal}</time>
          </p>
        </div>
        <nav aria-label="Footer">
          <h2 className="display text-2xl">Quick Links</h2>
          <ul className="mt-3">
            {navigationLinks.map(({ path, label, footerLabel = label }) => (
              <li key={path}>
                <Link to={path} className="inline-block py-1 hover:text-brisket hover:underline">
                  {footerLabel}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Contact />
      </div>
      <SmallPrint />
    </footer>
  );
}

function Contact() {
  const { contact, contactAddress } = useFestival();
  return (
    <div>
      <h2 className="display text-2xl">Contact</h2>
      <address className="mt-3 leading-relaxed not-italic">
        <a
          href={`mailto:${contact.email}`}
          className="underline decoration-brisket decoration-2 underline-offset-4 hover:text-brisket"
        >
          <EmailText>{contact.email}</EmailText>
        </a>
        <br />
        {contactAddress}
      </address>
      <SocialLinks />
    </div>
  );
}

function SmallPrint() {
  const festival = useFestival();
  return (
    <div className="page-width relative">
      <div className="flex flex-wrap justify-between gap-x-8 gap-y-1 border-t-2 border-paper/25 py-5 text-sm">
        <p>
          ©{" "}
          <span ref={writeCurrentYear} suppressHydrationWarning>
            {currentYear()}
          </span>{" "}
          {festival.title}. All rights reserved.
        </p>
        <p>
          {smallPrintLinks.map(({ path, label }) => (
            <Link
              key={path}
              to={path}
              className="mr-5 inline-block py-1 underline underline-offset-4 hover:text-brisket"
            >
              {label}
            </Link>
          ))}
          {festival.tagline}. Organized by {festival.organizer}.
        </p>
      </div>
    </div>
  );
}
