// The gate board's one read, and administrators' changes at the gate. The database writes each change to the audit log.
import { readGateBoard, readGateInvitation, type GateBoard, type GateInvitation } from "contract/gate";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { differences } from "#lib/differences.ts";
import { read } from "#lib/lists/back-office-reads.ts";
import type { Supabase } from "#lib/api/supabase.ts";
import { ask, type Answer } from "#lib/session/ask.ts";
import { toast } from "#ui/overlays/toast.ts";

const BOARD_EVERY_MS = 2500;
/** A request that never gets a response would hold up all later ones. */
const NO_ANSWER_MS = 8000;

export function useGateBoard() {
  return useQuery({
    queryKey: ["gate-board"],
    queryFn: async (): Promise<GateBoard> =>
      readGateBoard(
        await read("gate board", (supabase) =>
          supabase.rpc("gate_board").abortSignal(AbortSignal.timeout(NO_ANSWER_MS)),
        ),
      ),
    refetchInterval: BOARD_EVERY_MS,
  });
}

interface GateAct {
  run: (supabase: Supabase) => PromiseLike<Answer<unknown>>;
  success: string;
  /** Offered in the success message. */
  undo?: GateAct;
}

/** Runs a change, reports the result and refetches the board. */
export function useGateAct() {
  const queryClient = useQueryClient();
  const { mutate, mutateAsync, isPending } = useMutation({
    mutationFn: (act: GateAct) => ask(act.run),
    onSuccess: (_nothing, { success, undo }) =>
      toast.success(success, undefined, undo && { label: "Undo", run: () => press(undo) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["gate-board"] }),
  });
  /** For a button: shows a refusal as a message. */
  function press(act: GateAct) {
    mutateAsync(act).catch((error: unknown) =>
      toast.error("The gate settings were not saved", error instanceof Error ? error.message : String(error)),
    );
  }
  return { mutate, mutateAsync, press, isPending };
}

export interface EntranceFields {
  name: string;
  admits: "tickets" | "parking" | "both";
  ticket_type_ids: string[] | null;
  is_express: boolean;
}

export const addEntrance = (fields: EntranceFields): GateAct => ({
  run: (supabase) => supabase.from("gate_entrances").insert(fields),
  success: `${fields.name} added`,
});

/** Writes the fields that differ, and offers to write them back. Without any, nothing is sent. */
function write<Fields extends object>(
  update: (fields: Partial<Fields>) => GateAct["run"],
  [before, after]: readonly [Fields, Fields],
  words: { success: string; undone: string },
): GateAct {
  const changed = differences(before, after);
  const { success, undone } = words;
  if (Object.keys(changed).length === 0) return { run: async () => ({ data: null, error: null }), success };
  const undo = { run: update(differences(after, before)), success: undone };
  return { run: update(changed), success, undo };
}

export const changeEntrance = (id: string, before: EntranceFields, after: EntranceFields): GateAct =>
  write<EntranceFields>(
    (fields) => (supabase) => supabase.from("gate_entrances").update(fields).eq("id", id),
    [before, after],
    { success: `${after.name} saved`, undone: `${before.name} restored` },
  );

export function openEntrance({ id, name }: { id: string; name: string }, isOpen: boolean): GateAct {
  const turn = (open: boolean): GateAct => ({
    run: (supabase) => supabase.from("gate_entrances").update({ is_open: open }).eq("id", id),
    success: `${name} is ${open ? "open" : "closed"}`,
  });
  return { ...turn(isOpen), undo: turn(!isOpen) };
}

export interface SettingsFields {
  doors_open_at: string | null;
  doors_close_at: string | null;
  reentry: boolean;
}

export const changeSettings = (before: SettingsFields, after: SettingsFields): GateAct =>
  write<SettingsFields>(
    (fields) => (supabase) => supabase.from("gate_settings").update(fields).eq("only_row", true),
    [before, after],
    { success: "Doors and re-entry saved", undone: "Doors and re-entry restored" },
  );

interface Device {
  id: string;
  name: string;
}

export const restoreDevice = ({ id, name }: Device): GateAct => ({
  run: (supabase) => supabase.rpc("restore_gate_device", { p_device_id: id }),
  success: `${name} can scan again`,
});

export const revokeDevice = (device: Device): GateAct => ({
  run: (supabase) => supabase.rpc("revoke_gate_device", { p_device_id: device.id }),
  success: `${device.name} can no longer scan`,
  undo: restoreDevice(device),
});

export const revokeInvitation = ({ id, label }: { id: string; label: string }): GateAct => ({
  run: (supabase) => supabase.rpc("revoke_gate_invitation", { p_invitation_id: id }),
  success: `The invitation “${label}” is revoked`,
});

interface InvitationFields {
  label: string;
  /** Null: each device chooses. */
  entranceId: string | null;
  /** A Central day, "2026-06-27". */
  day: string;
  phones: number;
}

/** The response is the only place that ever contains the token. @throws Error with the database's message */
export async function createInvitation({
  label,
  entranceId,
  day,
  phones,
}: InvitationFields): Promise<GateInvitation> {
  const invitation = {
    p_label: label,
    p_entrance_id: entranceId as string, // the generated type does not allow null
    p_day: day,
    p_phones: phones,
  };
  return readGateInvitation(await ask((supabase) => supabase.rpc("create_gate_invitation", invitation)));
}
