// Looks people up: on the server while it answers, in the device's own list otherwise.
import { findPeople } from "../rules/find.ts";
import { AccessRemoved, Unreachable } from "./calls.ts";
import { type GateDevice, heard, lost, removed } from "./gate-device.ts";
import type { FoundPerson } from "./snapshot.ts";

export async function searchPeople(device: GateDevice, text: string): Promise<readonly FoundPerson[]> {
  const typeName = (id: string) => device.snapshot.opened?.types.find((type) => type.id === id)?.name ?? "";
  return (
    (await askServer(device, text)) ??
    findPeople(device.codes.rows(), text).map((row) => ({ row, type: typeName(row.type_id) }))
  );
}

async function askServer(device: GateDevice, text: string): Promise<readonly FoundPerson[] | undefined> {
  if (device.snapshot.offlineSince !== undefined) return undefined;
  try {
    const { people } = await heard(device, () => device.calls.search(text));
    return people.map(({ type, code: _code, is_vip: _vip, includes_parking: _parking, ...row }) => ({
      row,
      type,
    }));
  } catch (error) {
    if (error instanceof AccessRemoved && error.why !== "unknown_device") await removed(device, error.why);
    else if (error instanceof Unreachable) lost(device, error);
    void device.beatNow();
    return undefined;
  }
}
