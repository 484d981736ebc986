// A statement of a transaction, and those that set who runs the rest of it.

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export const statement = (text: string, ...values: unknown[]): Statement => ({ text, values });

export const asUser = (id: string): Statement =>
  statement(
    "select set_config('request.jwt.claims', $1, true)",
    JSON.stringify({ sub: id, role: "authenticated" }),
  );

export const asBuyerOf = (orderId: string): Statement =>
  statement(
    "select set_config('request.jwt.claims', json_build_object('sub', user_id)::text, true) from public.orders where id = $1",
    orderId,
  );
