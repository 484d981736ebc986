import { DecisionSelect } from "#ui/forms/decision-select.tsx";
import { roleNames, type User } from "./model.ts";
import { useSetRole } from "./queries.ts";

/** Changes a user's role. The database refuses to remove the last administrator. */
export function RoleSelector({ user }: { user: User }) {
  const setRole = useSetRole();
  return (
    <DecisionSelect
      label={`Role of ${user.email}`}
      value={user.role}
      options={[
        { value: "admin", label: roleNames.admin },
        { value: "finance", label: roleNames.finance },
        { value: "gate", label: roleNames.gate },
        { value: "user", label: roleNames.user },
        { value: "none", label: user.role === "none" ? "No role" : "Remove Role" },
      ]}
      busy={setRole.isPending}
      onApply={(role) => setRole.apply({ seen: user, role })}
    />
  );
}
