import { Card } from "#ui/page/card.tsx";
import { openedElsewhere, type OpenedElsewhere } from "../auth-entries.ts";

interface Words {
  readonly title: string;
  readonly text: string;
}

const NOT_HERE: Words = {
  title: "This link doesn't work here",
  text: "It works only in the browser you requested it from. Enter the code from the same email here, or request a new email.",
};

const words: Readonly<Record<OpenedElsewhere, Words>> = {
  // Only the browser that signed up may use the password chosen there, because someone else may have opened the link.
  signup: {
    title: "Your email is confirmed",
    text: "You opened the link in a different browser from the one you signed up in, so the password you chose isn't active yet. Set one here, and we'll email you a link and a code.",
  },
  code: NOT_HERE,
  recovery: NOT_HERE,
};

/** For users who opened a mail's link in another browser. Stays, also over a reload, until they request another mail. */
export function ElsewhereNote() {
  const reason = openedElsewhere();
  if (!reason) return null;
  const { title, text } = words[reason];
  return (
    <Card tone="warning" padding="small" role="status">
      <strong className="display block text-heading">{title}</strong>
      <span className="mt-2 block">{text}</span>
    </Card>
  );
}
