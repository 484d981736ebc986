// The message being written, with the id it is sent under: both stay in this tab across reloads until it is known to be sent.
import { useState } from "react";
import { z } from "zod";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import { audience, type Draft } from "./model.ts";

const KEY = "houston-culture-festival:message";

const kept = z.object({
  id: z.uuid(),
  draft: z.object({ subject: z.string(), body: z.string(), audience }),
  /** It was sent, and no answer came. */
  unanswered: z.boolean().default(false),
});

function begun(): z.output<typeof kept> {
  try {
    return kept.parse(readJson("session", KEY));
  } catch {
    const nobodyYet: Draft = {
      subject: "",
      body: "",
      audience: { people: "buyers", type_ids: [], state: "valid" },
    };
    return { id: crypto.randomUUID(), draft: nobodyYet, unanswered: false };
  }
}

export function useDraft() {
  const [{ id, draft, unanswered }, setKept] = useState(begun);
  /** Of what is kept by then: people type while a message is on its way. */
  function keep(change: Partial<z.output<typeof kept>>) {
    setKept((before) => {
      const next = { ...before, ...change };
      writeJson("session", KEY, next);
      return next;
    });
  }
  return {
    id,
    draft,
    unanswered,
    change: (next: Draft) => keep({ draft: next }),
    markUnanswered: () => keep({ unanswered: true }),
    /** What is written becomes a message of its own. */
    beginAnew: () => keep({ id: crypto.randomUUID(), unanswered: false }),
    discard: () => writeJson("session", KEY, undefined),
  };
}
