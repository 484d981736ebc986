import { Card } from "#ui/page/card.tsx";
import type { EmailChange } from "../auth-entries.ts";

interface Words {
  readonly title: string;
  readonly text: string;
}

const BOTH = "The change is made once both addresses have confirmed. Until then, sign in with the old one.";

const words: Readonly<Record<EmailChange, Words>> = {
  current: {
    title: "Old address confirmed",
    text: `One more to go. Open the email we sent to your new address, too. ${BOTH}`,
  },
  new: {
    title: "New address confirmed",
    text: `One more to go. Open the email we sent to your old address, too. ${BOTH}`,
  },
  half: {
    title: "This address is confirmed",
    text: `One more to go. Open the email we sent to the other one, too. ${BOTH}`,
  },
  done: {
    title: "Email changed",
    text: "Your account has its new address. Sign in with it from now on.",
  },
};

/** For users who opened a link of the change while signed out. Stays until someone signs in. */
export function EmailChangeNote({ change }: { change: EmailChange }) {
  const { title, text } = words[change];
  return (
    <Card tone="warning" padding="small" role="status" className="mt-3">
      <strong className="display block text-heading">{title}</strong>
      <span className="mt-2 block">{text}</span>
    </Card>
  );
}
