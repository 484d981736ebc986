import { useState } from "react";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { count } from "#lib/format.ts";
import { STILL_OPEN, useAttempt } from "#ui/forms/use-attempt.ts";
import { type Problems, useProblems } from "#ui/forms/use-problems.ts";
import { toast } from "#ui/overlays/toast.ts";
import { type Guest, type GuestLine, guestProblems, listProblem, readGuests } from "./guest-list.ts";
import type { Typed, UnansweredIssue } from "./model.ts";
import {
  IssuedBefore,
  issueComps,
  keepIssue,
  keptIssue,
  Refused,
  useReadAgain,
  useTicketTypes,
} from "./queries.ts";

const blank: Typed = { typeId: "", reason: "", name: "", email: "", list: "" };

const NO_ANSWER =
  "The server didn't respond, so the comps may or may not have been issued. Press Issue again: nothing is issued twice. If you change the list first, you'll see the result of this attempt.";

/** The form for comps until they are issued. */
export function useIssue(userId: string, onIssued: () => void) {
  const types = useTicketTypes();
  const readAgain = useReadAgain();
  const [kept] = useState(() => keptIssue(userId));
  const [typed, setTyped] = useState(kept?.typed ?? blank);
  /** Whether the guests are a pasted list instead of one person. */
  const [pasting, setPasting] = useState(kept?.pasting ?? false);
  const { attempt, busy, problem, column, setProblem } = useAttempt();
  const { unanswered, issueOnce } = useIssueOnce(userId, kept?.key);

  const typedAny = Object.values(typed).some((text) => text.trim() !== "");
  // An unanswered issue is kept across visits, and appears again when the dialog is reopened.
  const unsaved = typedAny && !unanswered;
  useUnsaved(unsaved);
  const type = types.data?.find(({ id }) => id === typed.typeId);
  const lines = pasting ? readGuests(typed.list) : [];
  const wrong: Problems<keyof Typed> = {
    ...(!(types.data ? type : typed.typeId) && { typeId: missingType(types) }),
    ...(!typed.reason.trim() && { reason: "Enter a reason. It stays with the tickets." }),
    ...(pasting ? listProblems(lines) : guestProblems(typed)),
  };
  const { problems, check } = useProblems(wrong, { problem, column });

  const control = (field: keyof Typed) => ({
    value: typed[field],
    onChange: ({ target }: { target: { value: string } }) => {
      setTyped({ ...typed, [field]: target.value });
      setProblem(undefined);
    },
  });

  async function issue() {
    if (!check()) return;
    await attempt(async () => {
      const guests = pasting
        ? lines.flatMap(({ guest }) => guest ?? [])
        : [{ name: typed.name.trim(), email: typed.email.trim() }];
      const isIssued = await issueOnce({ typed, pasting }, guests).finally(() => void readAgain());
      if (!isIssued) return STILL_OPEN;
      toast.success(`${count(guests.length, "comp")} issued`, "The codes are on their way by email.");
    }, onIssued);
  }
  return {
    unsaved,
    types,
    type,
    lines,
    control,
    pasting,
    setPasting,
    issue,
    busy,
    problems: { ...(unanswered && !busy && { form: NO_ANSWER }), ...problems },
  };
}

function listProblems(lines: readonly GuestLine[]): Problems<keyof Typed> {
  const problem = listProblem(lines);
  return problem === undefined ? {} : { list: problem };
}

/** While there is nothing to choose from, say so instead of asking for a choice. */
function missingType({ data, isError }: ReturnType<typeof useTicketTypes>): string {
  if (data) return "Choose a ticket type.";
  return isError ? "The ticket types couldn't be loaded." : "The ticket types are still loading.";
}

/** Issues under one key until its outcome is known, whatever changes meanwhile. `sent`: the key of the unanswered issue. */
function useIssueOnce(userId: string, sent: string | undefined) {
  const [key, setKey] = useState(() => sent ?? crypto.randomUUID());
  const [unanswered, setUnanswered] = useState(sent !== undefined);

  function settle(): void {
    keepIssue(undefined);
    setUnanswered(false);
    setKey(crypto.randomUUID());
  }

  /** Returns false when no response came. @throws Error with a message to show when they were not issued */
  async function issueOnce(form: Pick<UnansweredIssue, "typed" | "pasting">, guests: readonly Guest[]) {
    keepIssue({ userId, key, ...form });
    const { reason, typeId } = form.typed;
    try {
      await issueComps({ key, reason, typeId, guests });
    } catch (error) {
      if (error instanceof IssuedBefore) {
        settle();
        const words = `${error.message} They're in the list below. To issue these too, press Issue again.`;
        throw new Error(words, { cause: error });
      }
      if (!(error instanceof Refused)) {
        setUnanswered(true);
        return false;
      }
      // The outcome of an earlier attempt is still unknown.
      if (!unanswered) settle();
      throw error;
    }
    settle();
    return true;
  }

  return { unanswered, issueOnce };
}

/** Binds a field's value and change handler. */
export type Control = ReturnType<typeof useIssue>["control"];
