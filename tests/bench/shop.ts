// A separate festival for a measurement: a real server on a new data folder, limits wide enough for one address to be a
// crowd (each of them is still checked), stock that lasts, and as many signed-in buyers as requested.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { systemClock } from "../../server/src/platform/clock.ts";
import { createTokens } from "../../server/src/platform/keys/jwt.ts";
import { type Festival, removeFolder, startFestival, temporaryFolder } from "../support/server/festival.ts";

export interface Buyer {
  readonly id: string;
  readonly email: string;
  /** As signing in returns it. */
  readonly token: string;
}

export interface TicketType {
  readonly id: string;
  readonly name: string;
  readonly price: number;
}

export interface MeasuredShop {
  readonly festival: Festival;
  /** A connection as the database's owner, for preparing and checking. */
  readonly sql: pg.Pool;
  readonly ticketType: TicketType;
  /** The secret that signs its tokens. */
  readonly jwtSecret: string;
  /** Accounts that nobody has used yet. */
  newBuyers(count: number): Promise<Buyer[]>;
  close(): Promise<void>;
}

const STOCK = 1_000_000;

export async function openMeasuredShop(
  env: Readonly<Record<string, string>> = {},
  dataDir = temporaryFolder(),
): Promise<MeasuredShop> {
  const jwtSecret = randomBytes(32).toString("hex");
  const festival = await startFestival({ dataDir, env: { JWT_SECRET: jwtSecret, ...env } });
  const sql = new pg.Pool({ connectionString: festival.status.DB_URL!, max: 4 });
  const tokens = createTokens(jwtSecret, systemClock);
  await sql.query(
    `update public.shop_settings set max_tickets_per_buyer = 500, max_orders_per_buyer = 1000000,
       max_orders_per_address = 1000000, address_hold_share = 1`,
  );
  const { rows } = await sql.query<TicketType>(
    `update public.ticket_types set total_inventory = $1, current_inventory = $1 where name = 'General Admission'
     returning id, name, price::float8 as price`,
    [STOCK],
  );

  return {
    festival,
    sql,
    ticketType: rows[0]!,
    jwtSecret,
    async newBuyers(count) {
      const { rows: accounts } = await sql.query<{ id: string; email: string }>(
        `insert into auth.users (id, instance_id, aud, role, email, email_confirmed_at, created_at, updated_at)
         select id, '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', id || '@example.com',
           now(), now(), now()
         from (select gen_random_uuid() as id from generate_series(1, $1::integer)) as ids
         returning id, email`,
        [count],
      );
      await sql.query(
        "insert into auth.sessions (id, user_id, created_at, updated_at, aal) select id, id, now(), now(), 'aal1' from unnest($1::uuid[]) as id",
        [accounts.map(({ id }) => id)],
      );
      return accounts.map(({ id, email }) => ({
        id,
        email,
        token: tokens.sign(claimsOf(festival.url, id, email)),
      }));
    },
    async close() {
      await sql.end();
      await festival.stop();
      removeFolder(dataDir);
    },
  };
}

/** All claims of a signed-in buyer's token, so that ours is as long as theirs. */
function claimsOf(url: string, id: string, email: string) {
  const issuedAt = Math.floor(Date.now() / 1000);
  return {
    iss: `${url}/auth/v1`,
    sub: id,
    aud: "authenticated",
    exp: issuedAt + 3600,
    iat: issuedAt,
    email,
    phone: "",
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: {},
    role: "authenticated",
    aal: "aal1",
    amr: [{ method: "password", timestamp: issuedAt }],
    session_id: id,
    is_anonymous: false,
  };
}
