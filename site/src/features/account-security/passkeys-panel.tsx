import { MAX_CREDENTIAL_NAME } from "contract/credentials";
import { useState } from "react";
import { typed } from "#lib/browser/typed.ts";
import { formatDay } from "#lib/format.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { DialogButtons } from "#ui/overlays/dialog-buttons.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { Panel, Row, WhenRead } from "./panel.tsx";
import { type Passkey, useChange, usePasskeys } from "./queries.ts";

const addRefusals: Readonly<Record<string, string>> = {
  too_many_passkeys: "You have the maximum number of passkeys. Remove one first.",
  webauthn_credential_exists: "This device already has a passkey for your account.",
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: "This device already has a passkey for your account.",
};

export function PasskeysPanel({ userId }: { userId: string }) {
  const read = usePasskeys(userId);
  const add = useChange(userId, { done: "Passkey added", failed: "No passkey was added" }, async () => {
    const { error } = await (await getSupabase()).auth.registerPasskey();
    if (!error) return { error: null };
    const known = addRefusals[String(error.code ?? "")];
    return { error: { message: known ?? "Your device didn't create a passkey. Please try again." } };
  });
  return (
    <Panel
      title="Passkeys"
      lead="Sign in with your fingerprint, your face or your device's PIN instead of a password. A passkey can't be guessed, and no other site can use it."
    >
      <WhenRead read={read} what="passkeys">
        {(passkeys) => (
          <ul>
            {passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} userId={userId} passkey={passkey} />
            ))}
            {passkeys.length === 0 && <li className="text-ink-soft">You have no passkeys yet.</li>}
          </ul>
        )}
      </WhenRead>
      <Button className="mt-4" variant="secondary" busy={add.isPending} onClick={() => add.mutate()}>
        Add a Passkey
      </Button>
    </Panel>
  );
}

function PasskeyRow({ userId, passkey }: { userId: string; passkey: Passkey }) {
  const [doing, setDoing] = useState<"rename" | "remove">();
  const name = passkey.friendly_name ?? "Passkey";
  const remove = useChange(
    userId,
    { done: "Passkey removed", failed: "The passkey was not removed" },
    async () => (await getSupabase()).auth.passkey.delete({ passkeyId: passkey.id }),
  );
  const used = passkey.last_used_at ? `last used ${formatDay(passkey.last_used_at)}` : "not used yet";
  return (
    <Row title={name} detail={`Added ${formatDay(passkey.created_at)} · ${used}`}>
      <Button
        size="small"
        variant="secondary"
        onClick={() => setDoing("rename")}
        aria-label={`Rename: ${name}`}
      >
        Rename
      </Button>
      <Button
        size="small"
        variant="danger"
        busy={remove.isPending}
        onClick={() => setDoing("remove")}
        aria-label={`Remove: ${name}`}
      >
        Remove
      </Button>
      {doing === "rename" && (
        <RenameDialog userId={userId} passkey={passkey} name={name} onClose={() => setDoing(undefined)} />
      )}
      <AlertDialog
        open={doing === "remove"}
        onOpenChange={(open) => setDoing(open ? "remove" : undefined)}
        title={`Remove “${name}”?`}
        confirmLabel="Remove"
        cancelLabel="Keep"
        destructive
        onConfirm={() => remove.mutate()}
      >
        You can no longer sign in with it here. You can also delete it from your device.
      </AlertDialog>
    </Row>
  );
}

interface RenameDialogProps {
  userId: string;
  passkey: Passkey;
  name: string;
  onClose: () => void;
}

function RenameDialog({ userId, passkey, name, onClose }: RenameDialogProps) {
  const rename = useChange(
    userId,
    { done: "Passkey renamed", failed: "The passkey was not renamed" },
    async (friendlyName: string) =>
      (await getSupabase()).auth.passkey.update({ passkeyId: passkey.id, friendlyName }),
  );
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Rename Passkey">
      <form
        noValidate
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = typed(event.currentTarget, "name");
          if (wanted === "") return;
          rename.mutate(wanted, { onSuccess: onClose });
        }}
      >
        <Field label="Name" limit={MAX_CREDENTIAL_NAME} required>
          <Input name="name" defaultValue={name} autoComplete="off" />
        </Field>
        <DialogButtons submit="Rename" busy={rename.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
