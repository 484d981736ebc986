import { useSetSells } from "./queries.ts";
import type { User } from "./model.ts";

/** Whether a gate staff member may sell at the door. */
export function SellsSwitch({ user }: { user: User }) {
  const change = useSetSells();
  return (
    <label className="mt-1.5 flex w-fit cursor-pointer items-center gap-2 text-sm">
      <input
        type="checkbox"
        className="size-5 accent-slab"
        checked={change.isPending ? change.variables.sells : user.sells_at_door}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate({ user, sells: target.checked })}
      />
      <span>
        Sells at the door<span className="sr-only">: {user.email}</span>
      </span>
    </label>
  );
}
