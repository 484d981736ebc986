import { useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { saveFile } from "#lib/browser/save-file.ts";
import { count, formatDay } from "#lib/format.ts";
import { type SessionUser, useSession } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { Panel } from "./panel.tsx";
import { deleteAccount, type Deletion, previewDeletion, readMyData } from "./queries.ts";

const SIGN_IN_FIRST =
  "For your security, please log out and back in, then delete your account within 15 minutes.";

export function DataPanel({ user }: { user: SessionUser }) {
  const [saving, setSaving] = useState(false);
  const [ahead, setAhead] = useState<Deletion>();
  const [asking, setAsking] = useState(false);
  async function save() {
    setSaving(true);
    try {
      saveFile(await readMyData(), "my-festival-data.json");
    } catch (error) {
      toast.error("Your data could not be loaded", (error as Error).message);
    }
    setSaving(false);
  }
  async function ask() {
    setAsking(true);
    try {
      const found = await previewDeletion();
      if (found.refusal !== null) toast.error("Your account cannot be deleted now", found.refusal);
      else if (found.sign_in_first) toast.error("Please sign in again first", SIGN_IN_FIRST);
      else setAhead(found);
    } catch (error) {
      logError("preview the deletion", error);
      toast.error("Your account was not deleted", (error as Error).message);
    }
    setAsking(false);
  }
  return (
    <Panel
      title="Your Data"
      lead="Download everything we know about you as a JSON file, or delete your account."
    >
      <div className="flex flex-wrap gap-3">
        <Button variant="secondary" busy={saving} onClick={() => void save()}>
          Download My Data
        </Button>
        <Button variant="danger" busy={asking} onClick={() => void ask()}>
          Delete My Account
        </Button>
      </div>
      {ahead && <DeletionDialog user={user} ahead={ahead} onClose={() => setAhead(undefined)} />}
    </Panel>
  );
}

interface DeletionDialogProps {
  user: SessionUser;
  ahead: Deletion;
  onClose: () => void;
}

function DeletionDialog({ user, ahead, onClose }: DeletionDialogProps) {
  const { signOut } = useSession();
  const [email, setEmail] = useState("");
  const [knowing, setKnowing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const tickets = ahead.tickets_to_come;
  async function confirm() {
    if (tickets > 0 && !knowing)
      return setProblem("Please check the box to confirm you understand what happens to your tickets.");
    setBusy(true);
    const refused = await deleteAccount(email, knowing);
    setBusy(false);
    if (refused) {
      return setProblem(refused.signInAgain ? SIGN_IN_FIRST : refused.message);
    }
    toast.success("Your account is deleted", "Goodbye, and thank you for dancing with us.");
    await signOut();
  }
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delete Your Account?"
      confirmLabel="Delete for Good"
      cancelLabel="Keep It"
      destructive
      busy={busy}
      onConfirm={() => void confirm()}
      fields={
        <div className="mt-5 space-y-4">
          {tickets > 0 && (
            <Checkbox
              checked={knowing}
              onChange={({ target }) => setKnowing(target.checked)}
              label={`I understand that I can no longer see, transfer or print my ${count(tickets, "ticket")}.`}
            />
          )}
          <Field label={`Type ${user.email ?? "your phone number"} to confirm`} required error={problem}>
            <Input
              autoComplete="off"
              spellCheck={false}
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
          </Field>
        </div>
      }
    >
      <Consequences ahead={ahead} />
    </AlertDialog>
  );
}

function Consequences({ ahead }: { ahead: Deletion }) {
  const { orders, tickets_to_come: tickets, names_until: until } = ahead;
  return (
    <div className="space-y-2">
      <p>
        This can't be undone. Your sign-in, passkeys, waitlist places and sessions are deleted right away.
      </p>
      {orders > 0 && (
        <p>
          {orders === 1 ? "Your order stays" : `Your ${orders} orders stay`} in our records, as the law
          requires.{" "}
          {until
            ? `Your name is removed on ${formatDay(until)}, 120 days after the festival.`
            : "Your name is removed within a day."}
        </p>
      )}
      {tickets > 0 && (
        <p className="font-semibold">
          You still have {count(tickets, "ticket")} to use. They stay valid, but only in the emails and
          printouts you have. Print or transfer them first.
        </p>
      )}
    </div>
  );
}
