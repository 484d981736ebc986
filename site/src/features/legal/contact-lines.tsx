import { useFestival } from "#lib/festival/content.ts";
import { EmailText } from "#ui/basics/email-text.tsx";

/** The organiser's contact details. */
export function ContactLines() {
  const { contact, contactAddress, organiser } = useFestival();
  return (
    <address className="not-italic">
      {organiser}
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
