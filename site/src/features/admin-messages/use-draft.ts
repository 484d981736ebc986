// The message being written and the id it is sent under. Both stay in this tab across reloads until the message is known to
// be sent.
import { useState } from "react";
import { z } from "zod";
import { draftKey } from "#lib/browser/form-draft.ts";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import { audience, type Draft } from "./model.ts";

const KEY = draftKey("message");

const kept = z.object({
  id: z.uuid(),
  draft: z.object({ subject: z.string(), body: z.string(), audience }),
  /** It was sent, but no response came. */
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
  /** Changes the current draft, because people type while a message is being sent. */
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
    /** Turns the draft into a separate message. */
    beginAnew: () => keep({ id: crypto.randomUUID(), unanswered: false }),
    discard: () => writeJson("session", KEY, undefined),
  };
}
