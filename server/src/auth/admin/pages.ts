// Paged lists as in GoTrue: `page` from 1, `per_page`, `sort`, and the headers that link to the other pages.
import type { Context } from "hono";
import { refuse } from "../errors.ts";
import type { Bindings } from "../http/bindings.ts";

const PER_PAGE = 50;
const MOST_PER_PAGE = 1000;

export interface Page {
  readonly page: number;
  readonly perPage: number;
}

/** Refuses anything but a whole number. */
export function pageOf(c: Context<Bindings>): Page {
  const page = wholeNumber(c.req.query("page"), 1);
  const perPage = wholeNumber(c.req.query("per_page"), PER_PAGE);
  if (perPage === 0)
    throw refuse("validation_failed", "Bad Pagination Parameters: per_page must be greater than 0");
  return { page: page || 1, perPage: Math.min(perPage, MOST_PER_PAGE) };
}

function wholeNumber(text: string | undefined, fallback: number): number {
  if (!text) return fallback;
  if (!/^\d{1,9}$/.test(text)) {
    throw refuse(
      "validation_failed",
      `Bad Pagination Parameters: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return Number(text);
}

/** `created_at`, alone or with a direction: GoTrue sorts users by nothing else. */
export function sortDirection(c: Context<Bindings>): "asc" | "desc" {
  const [field, direction = "desc"] = (c.req.query("sort") ?? "created_at desc").split(/ (.*)/);
  if (field !== "created_at") {
    throw refuse("validation_failed", `Bad Sort Parameters: bad field for sort '${field}'`);
  }
  const lower = direction.toLowerCase();
  if (lower !== "asc" && lower !== "desc") {
    const problem = `bad direction for sort '${direction}', only 'asc' and 'desc' allowed`;
    throw refuse("validation_failed", `Bad Sort Parameters: ${problem}`);
  }
  return lower;
}

/** `Link` and `X-Total-Count`; the client reads the page out of the first parameter. */
export function pageHeaders(c: Context<Bindings>, { page, perPage }: Page, total: number): void {
  const pages = Math.ceil(total / perPage);
  const { pathname, searchParams } = new URL(c.req.url);
  const link = (to: number, rel: string) => {
    const { page: _page, ...others } = Object.fromEntries(searchParams);
    return `<${pathname}?${new URLSearchParams({ page: String(to), ...others }).toString()}>; rel="${rel}"`;
  };
  c.header("link", [...(page < pages ? [link(page + 1, "next")] : []), link(pages, "last")].join(", "));
  c.header("x-total-count", String(total));
}
