import { Select } from "#ui/input.tsx";
import { isRole, type User } from "./model.ts";
import { useSetRole } from "./queries.ts";

/** Changes a user's role at once. The last administrator is kept by the database, which says so. */
export function RoleSelector({ user }: { user: User }) {
  const setRole = useSetRole();
  return (
    <Select
      dense
      className="w-40"
      aria-label={`Role of ${user.email}`}
      disabled={setRole.isPending}
      value={setRole.isPending ? setRole.variables.role : user.role}
      onChange={(event) => {
        const role = event.target.value;
        if (isRole(role) && role !== user.role) setRole.mutate({ seen: user, role });
      }}
    >
      <option value="admin">Admin</option>
      <option value="user">User</option>
      <option value="none">{user.role === "none" ? "No role" : "Remove Role"}</option>
    </Select>
  );
}
