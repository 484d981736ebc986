// The message being written, with the id it is sent under: both stay in this tab across reloads until it is sent.
import { useState } from "react";
import { z } from "zod";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import { audience, type Draft } from "./model.ts";

const KEY = "houston-culture-festival:message";

const kept = z.object({
  id: z.uuid(),
  draft: z.object({ subject: z.string(), body: z.string(), audience }),
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
    return { id: crypto.randomUUID(), draft: nobodyYet };
  }
}

export function useDraft() {
  const [{ id, draft }, setDraft] = useState(begun);
  function keep(next: z.output<typeof kept>) {
    setDraft(next);
    writeJson("session", KEY, next);
  }
  return {
    id,
    draft,
    change: (next: Draft) => keep({ id, draft: next }),
    /** What is written becomes a message of its own. */
    beginAnew: () => keep({ id: crypto.randomUUID(), draft }),
    discard: () => writeJson("session", KEY, undefined),
  };
}
