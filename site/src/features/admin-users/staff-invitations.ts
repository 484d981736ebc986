// Reads, creates and revokes staff invitations.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { callFunction } from "#lib/api/functions.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { ask } from "#lib/session/ask.ts";
import { toast } from "#ui/overlays/toast.ts";
import { roleNames } from "./model.ts";

export const staffRoles = ["admin", "finance", "gate"] as const;
export type StaffRole = (typeof staffRoles)[number];

const invitations = z.array(
  z.object({ id: z.string(), email: z.string(), role: z.enum(staffRoles), expires_at: z.string() }),
);
export type StaffInvitation = z.output<typeof invitations>[number];

const KEY = ["staff-invitations"];
/** More than any festival has open. */
const MOST = 200;

/** Those not yet accepted or revoked, newest first. */
export function useStaffInvitations() {
  return useQuery({
    queryKey: KEY,
    queryFn: async () =>
      parseAnswer(
        "staff invitations",
        invitations,
        await read("staff invitations", (supabase) =>
          supabase
            .from("staff_invitations")
            .select("id, email, role, expires_at")
            .is("accepted_at", null)
            .is("revoked_at", null)
            .order("created_at", { ascending: false })
            .limit(MOST),
        ),
      ),
  });
}

const mail = (id: string) => callFunction<{ sent: boolean }>("invite-staff", { invitation_id: id });

/** @throws Error with the message of the database or the function */
export function useInvite() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ email, role }: { email: string; role: StaffRole }) => {
      await mail(await ask((supabase) => supabase.rpc("invite_staff", { p_email: email, p_role: role })));
    },
    onSuccess: (_nothing, { email, role }) =>
      toast.success("Invitation sent", `${email} can join as ${roleNames[role]} for seven days.`),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
}

export function useSendAgain() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: StaffInvitation) => mail(id),
    onSuccess: ({ sent }, { email }) =>
      sent
        ? toast.success("Invitation sent again", email)
        : toast.show(
            "Not sent again",
            `The last email to ${email} was sent less than a minute ago or is still waiting to go out.`,
          ),
    onError: (error) => toast.error("The invitation could not be sent", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
}

export function useRevoke() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ id }: StaffInvitation) => {
      const isRevoked = await ask((supabase) => supabase.rpc("revoke_staff_invitation", { p_id: id }));
      if (!isRevoked) throw new Error("It was accepted or revoked in the meantime.");
    },
    onSuccess: (_nothing, { email }) => toast.success("Invitation revoked", email),
    onError: (error) => toast.error("The invitation could not be revoked", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
}
