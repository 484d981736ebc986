import { useFestival } from "#lib/festival/content.ts";
import { EmailText } from "#ui/basics/email-text.tsx";

/** The organizer's contact details. */
export function ContactLines() {
  const { contact, contactAddress, organizer } = useFestival();
  return (
    <address className="not-italic">
      {organizer}
      <br />
      {contactAddress}
      <br />
      <a className="underline underline-offset-4" href={`mailto:${contact.email}`}>
        <EmailText>{contact.email}</EmailText>
      </a>
      <br />
      <a className="underline underline-offset-4" href={`tel:+1${contact.phone.replace(/\D/g, "")}`}>
        {contact.phone}
      </a>
    </address>
  );
}
