import { useState } from "react";
import { count } from "#lib/format.ts";
import { useAttempt } from "#ui/forms/use-attempt.ts";
import { toast } from "#ui/overlays/toast.ts";
import { listProblem, readGuests } from "./model.ts";
import { issueComps, useReadAgain, useTicketTypes } from "./queries.ts";

const blank = { typeId: "", reason: "", name: "", email: "", list: "" };
type Typed = typeof blank;

/** What is typed about comps until they are issued. `pasting`: the guests are a list instead of one. */
export function useIssue(pasting: boolean, onIssued: () => void) {
  const { data: types } = useTicketTypes();
  const readAgain = useReadAgain();
  const [typed, setTyped] = useState(blank);
  const [tried, setTried] = useState(false);
  const { attempt, busy, problem, setProblem } = useAttempt();
  // Until it is issued: a second press, or a retry after a lost answer, issues nothing twice.
  const [key, setKey] = useState(() => crypto.randomUUID());

  const type = types?.find(({ id }) => id === typed.typeId);
  const lines = readGuests(pasting ? typed.list : [typed.name, typed.email].filter(Boolean).join(", "));
  const wrong = !type
    ? "Choose a ticket type."
    : !typed.reason.trim()
      ? "Say why: the reason stays with the tickets."
      : listProblem(lines);

  const control = (field: keyof Typed) => ({
    value: typed[field],
    onChange: ({ target }: { target: { value: string } }) => {
      setTyped({ ...typed, [field]: target.value });
      setProblem(undefined);
      // Another list is another issue.
      setKey(crypto.randomUUID());
    },
  });

  async function issue() {
    setTried(true);
    if (wrong) return;
    await attempt(async () => {
      const guests = lines.flatMap(({ guest }) => guest ?? []);
      await issueComps({ key, reason: typed.reason, typeId: typed.typeId, guests });
      toast.success(`${count(guests.length, "comp")} issued`, "The codes are on their way by mail.");
      await readAgain();
      onIssued();
    });
  }
  const typedAny = Object.values(typed).some((text) => text.trim() !== "");
  return {
    typedAny,
    types,
    type,
    lines,
    control,
    issue,
    busy,
    problem: problem ?? (tried ? wrong : undefined),
  };
}

/** What a field shows, and what its typing does. */
export type Control = ReturnType<typeof useIssue>["control"];
