// Which roles require a second step at sign-in.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { ask } from "#lib/session/ask.ts";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { roleNames } from "./model.ts";

const ROLES = ["admin", "finance", "gate"] as const;
const KEY = ["staff-settings"];
const staffSettings = z.object({ two_step_roles: z.array(z.string()) });

export function TwoStepPanel() {
  const queryClient = useQueryClient();
  const settings = useQuery({
    queryKey: KEY,
    queryFn: async () =>
      parseAnswer(
        "staff settings",
        staffSettings,
        await read("staff settings", (supabase) =>
          supabase.from("staff_settings").select("two_step_roles").single(),
        ),
      ),
  });
  const change = useMutation({
    mutationFn: (two_step_roles: string[]) =>
      ask((supabase) => supabase.from("staff_settings").update({ two_step_roles }).eq("only_row", true)),
    onSuccess: (_nothing, two_step_roles) => {
      // Set without another read, because the next press builds on it.
      queryClient.setQueryData(KEY, { two_step_roles });
      toast.success("Two-step verification saved");
    },
    onError: (error) => toast.error("It was not changed", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  const asked = (change.isPending ? change.variables : settings.data?.two_step_roles) ?? [];
  return (
    <fieldset className="mt-6 border-2 border-ink/25 p-4" disabled={change.isPending}>
      <legend className="px-2 font-semibold">Two-step verification is required of</legend>
      <ReadNote read={settings} what="settings" />
      <div hidden={!settings.data} className="flex flex-wrap gap-x-8 gap-y-3">
        {ROLES.map((role) => (
          <Checkbox
            key={role}
            label={roleNames[role]}
            checked={asked.includes(role)}
            onChange={({ target }) =>
              change.mutate(target.checked ? [...asked, role] : asked.filter((one) => one !== role))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
