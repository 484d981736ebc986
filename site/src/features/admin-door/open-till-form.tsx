import { useQueryClient } from "@tanstack/react-query";
import { doorLimits } from "contract/door";
import { toDollars } from "contract/shop/money";
import { useState } from "react";
import { readTillsAgain } from "#lib/lists/till-reads.ts";
import { typedCents } from "#lib/typed-numbers.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { useAttempt } from "#ui/forms/use-attempt.ts";
import { Panel } from "#ui/page/panel.tsx";
import { openTill } from "./queries.ts";

export function OpenTillForm() {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState("");
  const { attempt, busy, problem, setProblem } = useAttempt();

  async function open() {
    const cents = typed.trim() === "" ? 0 : typedCents(typed);
    if (cents === undefined || toDollars(cents) > doorLimits.float) {
      return setProblem("Enter an amount, like 100 or 87.50. Leave blank for no change.");
    }
    await attempt(async () => {
      await openTill(toDollars(cents));
      await readTillsAgain(queryClient);
    });
  }

  return (
    <Panel title="Open your till" className="max-w-xl">
      <p className="mb-4 text-ink-soft">
        Your sales count under your name until you close it. Count your starting change first.
      </p>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
      >
        <Field label="Starting change" hint="In dollars. Leave blank if you only take cards." error={problem}>
          <Input
            inputMode="decimal"
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setProblem(undefined);
            }}
          />
        </Field>
        <Button type="submit" busy={busy}>
          Open the Till
        </Button>
      </form>
    </Panel>
  );
}
