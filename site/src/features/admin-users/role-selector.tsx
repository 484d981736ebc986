import { useState } from "react";
import { useSession } from "#lib/session/session.tsx";
import { DecisionSelect } from "#ui/forms/decision-select.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { roleNames, type Role, type User } from "./model.ts";
import { useSetRole } from "./queries.ts";

/** Changes a user's role, one's own after a question. The database refuses to remove the last administrator. */
export function RoleSelector({ user }: { user: User }) {
  const setRole = useSetRole();
  const isOwn = useSession().user?.id === user.id;
  const [asked, setAsked] = useState<Role>();
  return (
    <>
      <DecisionSelect
        label={`Role for ${user.email}`}
        value={user.role}
        options={[
          { value: "admin", label: roleNames.admin },
          { value: "finance", label: roleNames.finance },
          { value: "gate", label: roleNames.gate },
          { value: "user", label: roleNames.user },
          { value: "none", label: user.role === "none" ? "No role" : "Remove Role" },
        ]}
        busy={setRole.isPending}
        onApply={async (role) => {
          if (isOwn) setAsked(role);
          else await setRole.apply({ seen: user, role });
        }}
      />
      {asked && (
        <AlertDialog
          open
          onOpenChange={(open) => !open && setAsked(undefined)}
          title="Remove Your Own Administrator Role?"
          confirmLabel={asked === "none" ? "Remove My Role" : `Become ${roleNames[asked]}`}
          cancelLabel="Keep My Role"
          destructive
          onConfirm={() => void setRole.apply({ seen: user, role: asked })}
        >
          {left[asked]} You can't undo this: only another administrator can give you the role back.
        </AlertDialog>
      )}
    </>
  );
}

/** What an administrator loses with each role. */
const left: Record<Role, string> = {
  admin: "",
  finance: "You keep Orders, Money and Tills, and lose the rest of the back office right away.",
  gate: "You lose the back office right away and keep only the gate app.",
  user: "You lose the back office right away and keep only your own orders and tickets.",
  none: "You lose the back office right away and keep only your own orders and tickets.",
};
