// Stripe's lists: newest first, paged by the id of an object on the previous page.
import type { ApiRequest } from "./api.ts";
import { expand, pathsOfItems } from "./expansion.ts";
import { type Kind, member } from "../store/objects.ts";
import { invalidRequest, noSuch } from "../wire/provider-error.ts";
import type { Queries } from "../store/queries.ts";

export interface ListFilter {
  readonly paymentIntent?: string | undefined;
  readonly containing?: Readonly<Record<string, string | undefined>>;
}

/**
 * Answers a list request. `url` is the list's path. The caller has already read its own filters from the
 * parameters.
 */
export async function list(
  queries: Queries,
  request: ApiRequest,
  kind: Kind,
  url: string,
  filter: ListFilter = {},
): Promise<object> {
  const { parameters } = request;
  const limit = parameters.integer("limit") ?? 10;
  if (limit < 1 || limit > 100) throw invalidRequest("Invalid limit: must be 1 to 100.", { param: "limit" });
  const startingAfter = parameters.text("starting_after");
  const endingBefore = parameters.text("ending_before");
  const { createdFrom, createdTo } = readCreated(request);
  parameters.refuseUnknown();

  const containing = JSON.parse(JSON.stringify(filter.containing ?? {}));
  const { paymentIntent } = filter;
  const query = {
    kind,
    limit,
    startingAfter,
    endingBefore,
    createdFrom,
    createdTo,
    paymentIntent,
    containing,
  };
  await requireObject(queries, kind, startingAfter, "starting_after");
  await requireObject(queries, kind, endingBefore, "ending_before");
  const found = await queries.list(query);
  const page = found.slice(0, limit);
  if (endingBefore !== undefined) page.reverse();
  const paths = pathsOfItems(request.expand);
  const family = paths.length > 0 ? await queries.families(page.map((object) => object.id)) : new Map();
  const items = page.map((object) => expand(object, paths, family));
  return { object: "list", url, has_more: found.length > limit, data: items };
}

/** As in Stripe, a page after an object that does not exist is an error, not an empty page. */
async function requireObject(queries: Queries, kind: Kind, id: string | undefined, param: string) {
  if (id === undefined || member(await queries.family(id), kind, id)) return;
  throw noSuch(kind, id, param);
}

/** `created` is a time in seconds, or its bounds: gt, gte, lt, lte. */
function readCreated({ parameters }: ApiRequest): {
  createdFrom: number | undefined;
  createdTo: number | undefined;
} {
  const exact = parameters.isText("created") ? parameters.integer("created") : undefined;
  if (exact !== undefined) return { createdFrom: exact, createdTo: exact };
  const bounds = parameters.nested("created");
  const [gt, lt] = [bounds?.integer("gt"), bounds?.integer("lt")];
  return {
    createdFrom: gt === undefined ? bounds?.integer("gte") : gt + 1,
    createdTo: lt === undefined ? bounds?.integer("lte") : lt - 1,
  };
}
