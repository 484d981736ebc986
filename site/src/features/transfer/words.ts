// The texts of a link that cannot be accepted.
import type { TransferAnswer } from "contract/tickets/transfers";
import { formatZonedMoment } from "#lib/format.ts";

interface Words {
  readonly title: string;
  readonly text: string;
}

type EndState = Exclude<TransferAnswer["state"], "offered" | "accepted">;

export function wordsOf(answer: TransferAnswer, state: EndState): Words {
  const {
    from_name: from = "the sender",
    to_name: to = "the other person",
    to_email: mail = "your address",
  } = answer;
  const words: Record<EndState, Words> = {
    unknown: {
      title: "Link Not Found",
      text: "This link is not complete, or not one of ours. Please open it from the email again.",
    },
    closed: closedWords(answer, from),
    own: {
      title: "Your Own Offer",
      text: `You offered this to ${to}, who has not accepted yet. You can cancel the offer under My Tickets.`,
    },
    yours: {
      title: "This Is Yours",
      text: "You have accepted. The code that admits you is under My Tickets.",
    },
    kept: {
      title: "Already Accepted",
      text: `This was accepted, and the code was emailed to ${mail}.`,
    },
    taken: {
      title: "Already Accepted",
      text: "This was accepted with an account. If it was yours, sign in there: the code is under My Tickets.",
    },
    gone: {
      title: "No Longer Valid",
      text: "This was accepted, and has since been transferred, corrected or refunded. A newer email has its code, if there is one.",
    },
    recalled: { title: "Offer Cancelled", text: `${from} has cancelled this offer. Nothing was changed.` },
    expired: expiredWords(answer, from),
  };
  return words[state];
}

function closedWords({ because, closes_at }: TransferAnswer, from: string): Words {
  return because === "cancelled"
    ? {
        title: "The Festival Is Cancelled",
        text: `Tickets can no longer be accepted. The ticket stays with ${from}.`,
      }
    : {
        title: "Too Late to Accept",
        text: `This could be accepted until ${formatZonedMoment(closes_at)}. The ticket stays with ${from}.`,
      };
}

function expiredWords({ because }: TransferAnswer, from: string): Words {
  if (because === "refunded")
    return { title: "No Longer Available", text: `This was refunded to ${from} before it was accepted.` };
  if (because === "scanned")
    return { title: "No Longer Available", text: `${from} came in with this ticket before it was accepted.` };
  return { title: "Too Late to Accept", text: `Nobody accepted in time. The ticket stays with ${from}.` };
}
