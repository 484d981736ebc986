// Keeps an answer within its limit while PostgreSQL builds it: each row becomes JSON or a line of CSV on its own, the sizes
// add up, and the row that exceeds the limit raises 54000. Measuring the finished answer would be too late: a request of 300
// bytes could already have used a gigabyte.
import { raw, sql, type Sql } from "./fragment.ts";

/** The text of one row. */
export const PIECE = raw("pgrst_piece");

/** Each row of `rows` as PIECE, in order. `piece` is its SQL, which refers to the row as `name`. */
export const boundedRows = (rows: Sql, name: Sql, piece: Sql): Sql =>
  // `offset 0` keeps the planner from computing the piece twice.
  sql`(select ${PIECE}, sum(pg_column_size(${PIECE})) over (rows unbounded preceding) as pgrst_size
  from (select ${piece} as ${PIECE} from (${rows}) ${name} offset 0) pgrst_pieces)`;

/** The rows themselves with their sizes, for when each column is aggregated separately. */
export const sizedRows = (rows: Sql, name: Sql): Sql =>
  sql`(select ${name}.*, sum(pg_column_size(row_to_json(${name}.*))) over (rows unbounded preceding) as pgrst_size
  from (${rows}) ${name} offset 0)`;

/** Append it to the aggregate that collects the pieces. */
export const withinBytes = (most: number): Sql => {
  const limit = raw(String(most));
  return sql` filter (where case when pgrst_size > ${limit} then server_rest.refuse_answer(${limit}) else true end)`;
};
