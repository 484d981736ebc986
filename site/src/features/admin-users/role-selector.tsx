import { DecisionSelect } from "#ui/forms/decision-select.tsx";
import type { User } from "./model.ts";
import { useSetRole } from "./queries.ts";

/** Changes a user's role. The database refuses to remove the last administrator, and says so. */
export function RoleSelector({ user }: { user: User }) {
  const setRole = useSetRole();
  return (
    <DecisionSelect
      label={`Role of ${user.email}`}
      value={user.role}
      options={[
        { value: "admin", label: "Admin" },
        { value: "user", label: "User" },
        { value: "none", label: user.role === "none" ? "No role" : "Remove Role" },
      ]}
      busy={setRole.isPending}
      onApply={(role) => setRole.apply({ seen: user, role })}
    />
  );
}
