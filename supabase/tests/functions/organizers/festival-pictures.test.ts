// Pictures of the festival: who may add them, what may be published, and when unused ones are deleted.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world } = await openShop();
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);

const bucket = world.storage.from("festival-pictures");

async function added(): Promise<string> {
  const file = `${randomUUID()}.webp`;
  const { error } = await bucket.upload(file, Buffer.from("RIFF....WEBP"), { contentType: "image/webp" });
  expect(error).toBeNull();
  return file;
}

interface Section {
  version: number;
  content: object;
}

async function call(name: string, id: string, change: (content: object) => object): Promise<void> {
  const [section] = await world.sql<Section & Record<string, unknown>>(
    "select version, content from public.festival_sections where id = $1",
    id,
  );
  const { version, content } = section!;
  await world.db.database.transaction({ claims: { role: "authenticated", sub: admin }, headers: {} }, (tx) =>
    tx.query(`select public.${name}($1, $2, $3)`, [id, version, change(content)]),
  );
}
const card = (file: string) => () => ({ card: { file, alt: "Dancers at dusk" } });
const logo = (file: string) => (content: object) => ({
  ...content,
  sponsors: [{ name: "Swanga Works", logo: { file, width: 640, height: 200 } }],
});

it("are published for everybody once they have arrived, with an entry in the audit log", async () => {
  const missing = `${randomUUID()}.jpg`;
  await expect(call("publish_festival_section", "sharing", card(missing))).rejects.toThrow(
    "A picture is missing. Please choose it again.",
  );
  await expect(call("publish_festival_section", "sponsors", logo(missing))).rejects.toThrow(
    "A picture is missing",
  );
  const [file, mark] = [await added(), await added()];
  await call("publish_festival_section", "sharing", card(file));
  await call("publish_festival_section", "sponsors", logo(mark));
  const [published] = await world.sql("select public.get_festival() as answer");
  expect(published!.answer).toMatchObject({
    sharing: { card: { file, alt: "Dancers at dusk" } },
    sponsors: { sponsors: [{ name: "Swanga Works", logo: { file: mark } }] },
  });
  const address = bucket.getPublicUrl(file).data.publicUrl;
  expect((await world.fetchStored(address)).status).toBe(200);
  const entries = await world.sql(
    `select admin_user_id, record_id, old_values -> 'card' as before, new_values -> 'card' ->> 'file' as after
     from public.audit_logs where table_name = 'festival_sections' and record_id = 'sharing'`,
  );
  expect(entries).toEqual([{ admin_user_id: admin, record_id: "sharing", before: null, after: file }]);
});

it.each([
  ["an address elsewhere", { file: "https://elsewhere.example/x.png", alt: "x" }],
  ["no description", { file: `${randomUUID()}.png`, alt: "" }],
  ["another kind of file", { file: `${randomUUID()}.svg`, alt: "x" }],
])("are refused with %s", async (_what, picture) => {
  await expect(call("publish_festival_section", "sharing", () => ({ card: picture }))).rejects.toThrow(
    /^card\.(file|alt): /,
  );
});

it("are deleted after six hours when neither the published content nor a draft names them", async () => {
  const [published, drafted, abandoned] = [await added(), await added(), await added()];
  await call("publish_festival_section", "sharing", card(published));
  await call("save_festival_draft", "sponsors", logo(drafted));
  const isThere = async (file: string) => (await bucket.info(file)).error === null;
  await world.call("clean-up", { as: "service" });
  expect(await isThere(abandoned)).toBe(true);
  await world.sql(
    "update storage.objects set created_at = now() - interval '7 hours' where bucket_id = 'festival-pictures'",
  );
  await world.call("clean-up", { as: "service" });
  expect(await Promise.all([published, drafted, abandoned].map(isThere))).toEqual([true, true, false]);
});

it("are pictures of at most a megabyte", async () => {
  const send = (bytes: Buffer, contentType: string) =>
    bucket.upload(`${randomUUID()}.png`, bytes, { contentType });
  expect((await send(Buffer.from("<svg/>"), "image/svg+xml")).error).toMatchObject({
    message: "mime type image/svg+xml is not supported",
  });
  expect((await send(Buffer.alloc(1_100_000), "image/png")).error).toMatchObject({ statusCode: "413" });
});
