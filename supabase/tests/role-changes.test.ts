// A change of a role is broadcast to the user whose role it is, and reaches nobody else.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { follow, person, subscribed, useRealtime, waitFor } from "../../server/testing/realtime.ts";

const server = await useRealtime();

async function newUser(): Promise<string> {
  const id = randomUUID();
  await server.sql("insert into auth.users (id, email) values ($1, $2)", [id, `${id}@people.test`]);
  return id;
}

async function listen(user: string, topic = `role:${user}`) {
  const heard: string[] = [];
  const channel = (await server.connect(person(user))).channel(topic, { config: { private: true } });
  await subscribed(channel.on("broadcast", { event: "changed" }, ({ event }) => heard.push(event)));
  return heard;
}

it("reaches the user when the role is given and changed, on a topic that nobody else may read", async () => {
  const [user, stranger] = [await newUser(), await newUser()];
  const [heard, notHeard] = [await listen(user), await listen(stranger)];
  await expect(listen(stranger, `role:${user}`)).rejects.toThrow("Unauthorized");

  await server.sql("insert into public.user_roles (user_id, role) values ($1, 'finance')", [user]);
  await waitFor(() => expect(heard).toHaveLength(1));
  await server.sql("update public.user_roles set role = 'admin' where user_id = $1", [user]);
  await waitFor(() => expect(heard).toHaveLength(2));
  expect(notHeard).toEqual([]);
});

it("names no user to others when a role is removed", async () => {
  const [user, stranger] = [await newUser(), await newUser()];
  await server.sql("insert into public.user_roles (user_id, role) values ($1, 'gate')", [user]);
  const feed = await follow(await server.connect(person(stranger)), {});
  await server.sql("delete from public.user_roles where user_id = $1", [user]);
  // Changes arrive in the order of the log: once this one is here, the removal would be too.
  await server.sql("update public.ticket_types set description = description where not is_hidden");
  await waitFor(() => expect(feed.events.length).toBeGreaterThan(0));
  expect([...new Set(feed.events.map(({ table }) => table as string))]).toEqual(["products"]);
});
