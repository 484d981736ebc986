// Attacks on sign-in, and by people who have signed in.
import { randomUUID } from "node:crypto";
import { cartOf, type CatalogItem, GENERAL_ADMISSION } from "../../../shop/testing/cart.ts";
import { account } from "../world.ts";
import { asService, aStranger, type Attack, post, type Target } from "./attack.ts";

const SIGN_IN = "/auth/v1/token?grant_type=password";

export const ACCOUNTS: readonly Attack[] = [
  {
    name: "guessed passwords",
    attackers: 32,
    must: [/^400 invalid_credentials$/],
    act: (target, n) => post(target, n, SIGN_IN, { email: aStranger(), password: "a wrong password" }),
  },
  {
    name: "64 right sign-ins at once",
    attackers: 64,
    must: [/^200$/],
    act: (target, n) => {
      const { email, password } = target.attackers[n % target.attackers.length]!;
      return post(target, n, SIGN_IN, { email, password });
    },
  },
  functionFlood(),
  deletedAccount(),
];

/** What a signed-in visitor may call, each with a body that passes its schema. */
function functionFlood(): Attack {
  let calls: readonly (readonly [name: string, body: object])[] = [];
  return {
    name: "calls to functions by signed-in accounts",
    attackers: 64,
    must: [/^200$/, /^404 order_not_found$/, /^429 rate_limited$/],
    async prepare({ database }) {
      const { rows } = await database.query<CatalogItem>(GENERAL_ADMISSION);
      calls = [
        ["create-payment-intent", cartOf([rows[0]!, 1])],
        ["quote-promo-code", { code: "nobodys-code", items: [{ id: rows[0]!.id, quantity: 1 }] }],
        ["process-payment", { paymentIntentId: "pi_1" }],
        ["verify-payment", { sessionId: "cs_1" }],
        ["order-documents", { orderId: randomUUID() }],
        ["generate-qr-code", { ticketId: randomUUID() }],
        ["door-codes", {}],
        ["waiting-room", {}],
      ];
    },
    act(target, n) {
      const [name, body] = calls[Math.floor(Math.random() * calls.length)]!;
      const { token } = target.attackers[n % target.attackers.length]!;
      return post(target, n, `/functions/v1/${name}`, body, { token });
    },
  };
}

/** A token outlives its account, and visits to the waiting room are written in batches with those of others. */
function deletedAccount(): Attack {
  let token = "";
  return {
    name: "a deleted account's token in the waiting room",
    attackers: 32,
    must: [/^401 unauthorized$/],
    async prepare(target) {
      const gone = await account(target.festival);
      await asService(target, "DELETE", `/auth/v1/admin/users/${gone.id}`);
      token = gone.token;
      await keepRoomOpen(target);
    },
    act: (target, n) => post(target, n, "/functions/v1/waiting-room", {}, { token }),
    async check({ database }) {
      const { rows } = await database.query("select opened_at from public.waiting_room");
      await database.query("delete from public.sale_pace where process = $1", [OTHER_PROCESS]);
      await database.query("update public.waiting_room set opened_at = null");
      return rows[0].opened_at === null ? ["the waiting room did not stay open"] : [];
    },
  };
}

const OTHER_PROCESS = randomUUID();

/** Another process reports enough orders to keep the room open, and few enough that it admits whoever comes. */
async function keepRoomOpen({ database }: Target): Promise<void> {
  await database.query(
    `insert into public.sale_pace (process, under_way, per_second, reported_at)
     values ($1, 27000, 10000, now() + interval '1 hour')`,
    [OTHER_PROCESS],
  );
  await database.query("update public.waiting_room set opened_at = now()");
}
