import { useId, useState } from "react";
import { maxLengths } from "contract/limits";
import { toast } from "#ui/overlays/toast.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { useAttempt } from "#ui/forms/use-attempt.ts";
import { mailSale } from "./queries.ts";

/** Mails the codes of a sale to a buyer who wants them. */
export function MailForm({ orderId }: { orderId: string }) {
  const [email, setEmail] = useState("");
  const { attempt, busy, problem } = useAttempt();
  const id = useId();

  async function send() {
    await attempt(async () => {
      await mailSale(orderId, email);
      toast.success("The codes are on their way", email.trim());
      // Keep an address typed in the meantime.
      setEmail((typed) => (typed === email ? "" : typed));
    });
  }

  return (
    <form
      noValidate
      data-print="never"
      aria-labelledby={id}
      className="mt-6 grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Field limit={maxLengths.email} label={<span id={id}>Email the codes</span>} error={problem}>
        <Input
          type="email"
          inputMode="email"
          autoComplete="off"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </Field>
      <Button type="submit" variant="secondary" busy={busy}>
        Send
      </Button>
    </form>
  );
}
