// What the gate of a large festival has let in: an admission for each seeded code that was scanned, by twenty phones over the
// last hours. One code in five hundred was let in twice, and one scan in fifty was refused.
import type { Executor } from "../../server/src/postgres/executor.ts";
import { rebuildingIndexes } from "./rebuilt-indexes.ts";

export async function seedGate(tx: Executor): Promise<void> {
  await tx.query(`insert into public.gate_devices (id, name, entrance_id, created_at, last_seen_at)
      select gen_random_uuid(), 'Seeded Gate ' || n, e.id, now() - interval '61 days', now()
      from generate_series(0, 19) as n join (
        select id, row_number() over (order by created_at, id) - 1 as place, count(*) over () as places
        from public.gate_entrances where is_open) as e on e.place = n % e.places
      on conflict do nothing`);
  await tx.query(`create temporary table seed_devices on commit drop as
      select id, name, entrance_id, row_number() over (order by id) - 1 as n, count(*) over () as devices
      from public.gate_devices where name like 'Seeded Gate %'`);
  await tx.query(`create temporary table seed_scans on commit drop as
      select gen_random_uuid() as id, c.id as code_id, c.checked_in_at as at, row_number() over () as n from public.entry_codes c
      where c.checked_in_at is not null and not exists (select from public.admissions a where a.code_id = c.id)`);
  await rebuildingIndexes(tx, ["public.admissions", "public.gate_refusals"], async () => {
    await tx.query(`insert into public.admissions (id, code_id, device_id, device_name, entrance_id, admitted_at, received_at)
        select s.id, s.code_id, d.id, d.name, d.entrance_id, s.at, s.at
        from seed_scans s join seed_devices d on d.n = s.n % d.devices`);
    await tx.query(`insert into public.admissions (id, code_id, device_id, device_name, entrance_id, admitted_at,
          received_at, is_offline, conflicts_with)
        select gen_random_uuid(), s.code_id, d.id, d.name, d.entrance_id, s.at, now(), true, s.id
        from seed_scans s join seed_devices d on d.n = (s.n + 1) % d.devices where s.n % 500 = 0`);
    await tx.query(`insert into public.gate_refusals (id, device_id, device_name, entrance_id, reason, code_id, scanned_at, received_at)
        select gen_random_uuid(), d.id, d.name, d.entrance_id, 'already_in', s.code_id, s.at, s.at
        from seed_scans s join seed_devices d on d.n = s.n % d.devices where s.n % 50 = 0`);
  });
}
