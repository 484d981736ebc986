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
      text: "You have accepted. Your entry code is under My Tickets.",
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
      text: "This was accepted, and has since been transferred, changed or refunded. If there is a new code, it is in a newer email.",
    },
    recalled: { title: "Offer Canceled", text: `${from} has canceled this offer. Nothing was changed.` },
    expired: expiredWords(answer, from),
  };
  return words[state];
}

function closedWords({ because, closes_at }: TransferAnswer, from: string): Words {
  return because === "cancelled"
    ? {
        title: "The Festival Is Canceled",
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
    return { title: "No Longer Available", text: `${from} used this ticket before it was accepted.` };
  return {
    title: "Too Late to Accept",
    text: `This was not accepted in time. The ticket stays with ${from}.`,
  };
}
