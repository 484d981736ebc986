// Which roles require a second step at sign-in. Asks before that shuts anyone out.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { count } from "#lib/format.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { ask } from "#lib/session/ask.ts";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { roleNames } from "./model.ts";

const ROLES = ["admin", "finance", "gate"] as const;
const KEY = ["staff-settings"];
const staffSettings = z.object({ two_step_roles: z.array(z.string()) });

type StepRole = (typeof ROLES)[number];

const shutOut = z.object({
  count: z.number(),
  /** At most ten. */
  emails: z
    .array(z.string().nullable())
    .nullable()
    .transform((emails) => emails ?? []),
  /** Of invitations, at the gate. */
  phones: z.number(),
});
type ShutOut = z.output<typeof shutOut>;

interface Question extends ShutOut {
  readonly role: StepRole;
}

const readShutOut = async (p_role: StepRole): Promise<Question> => ({
  role: p_role,
  ...parseAnswer(
    "accounts without two-step verification",
    shutOut,
    await ask((supabase) => supabase.rpc("get_shut_out", { p_role })),
  ),
});

function useTwoStepRoles() {
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
    onError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  const roles = (change.isPending ? change.variables : settings.data?.two_step_roles) ?? [];
  return { settings, roles, change };
}

const onError = (error: Error) => toast.error("Not changed", error.message);

export function TwoStepPanel() {
  const { settings, roles, change } = useTwoStepRoles();
  const [question, setQuestion] = useState<Question>();
  const require = (role: StepRole) => change.mutate([...roles, role]);
  const check = useMutation({
    mutationFn: readShutOut,
    onSuccess(found) {
      if (found.count + found.phones > 0) setQuestion(found);
      else require(found.role);
    },
    onError,
  });
  return (
    <fieldset className="mt-6 border-2 border-ink/25 p-4" disabled={change.isPending || check.isPending}>
      <legend className="px-2 font-semibold max-xs:-mx-2">Require two-step verification for</legend>
      <ReadNote read={settings} what="settings" />
      <div hidden={!settings.data} className="flex flex-wrap gap-x-8 gap-y-3">
        {ROLES.map((role) => (
          <Checkbox
            key={role}
            label={roleNames[role]}
            checked={roles.includes(role)}
            onChange={({ target }) =>
              target.checked ? check.mutate(role) : change.mutate(roles.filter((one) => one !== role))
            }
          />
        ))}
      </div>
      <AlertDialog
        open={question !== undefined}
        onOpenChange={() => setQuestion(undefined)}
        title={question && `Require two-step verification for ${roleNames[question.role]}?`}
        confirmLabel="Require It"
        cancelLabel="Keep as Is"
        destructive
        onConfirm={() => question && require(question.role)}
      >
        {question && <WhoIsShutOut {...question} />}
      </AlertDialog>
    </fieldset>
  );
}

function WhoIsShutOut({ count: people, emails, phones }: ShutOut) {
  const named = emails.filter((email) => email !== null);
  return (
    <>
      {people > 0 && (
        <>
          <p>
            {count(people, "account")} with this role {people === 1 ? "doesn't" : "don't"} have two-step
            verification and can't work until it is set up:
          </p>
          <ul className="mt-3 list-disc pl-5 wrap-anywhere">
            {named.map((email) => (
              <li key={email}>{email}</li>
            ))}
            {people > named.length && <li>{people - named.length} more</li>}
          </ul>
        </>
      )}
      {phones > 0 && (
        <p className="mt-3">
          {count(phones, "phone")} opened by invitation can't set it up and will be locked out.
        </p>
      )}
    </>
  );
}
