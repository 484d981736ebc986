import { describe, expect, it } from "vitest";
import { FilterError, parseFilter, toSql } from "./filter.ts";

describe("a filter", () => {
  it("is one condition or several joined by commas", () => {
    expect(parseFilter("id=eq.5")).toEqual([{ column: "id", negated: false, operator: "eq", values: ["5"] }]);
    expect(parseFilter('a=in.(1,"x,y",z),b=not.gt.3,c=eq."p,q"')).toEqual([
      { column: "a", negated: false, operator: "in", values: ["1", "x,y", "z"] },
      { column: "b", negated: true, operator: "gt", values: ["3"] },
      { column: "c", negated: false, operator: "eq", values: ["p,q"] },
    ]);
  });

  it("keeps dots, equal signs and quotes that belong to the value", () => {
    expect(parseFilter("url=eq.http://a.b/?c=d")[0]!.values).toEqual(["http://a.b/?c=d"]);
    expect(parseFilter('word=eq."say \\"hi\\""')[0]!.values).toEqual(['say "hi"']);
  });

  it.each([
    "",
    "id",
    "id=5",
    "id=near.5",
    "id=in.1,2",
    "id=is.5",
    `id=in.(${Array(101).fill(1).join(",")})`,
    Array(21).fill("id=eq.1").join(","),
    "id=constructor.5",
  ])("is refused when it is %s", (text) => {
    expect(() => parseFilter(text)).toThrow(FilterError);
  });

  it.each(["like", "ilike", "match", "imatch", "fts"])(
    "has no %s: a pattern may take for ever",
    (operator) => {
      for (const not of ["", "not."]) {
        expect(() => parseFilter(`word=${not}${operator}.a+b`)).toThrow(
          new FilterError(`Error parsing \`filter\` params: ["${operator}", "a+b"]`),
        );
      }
    },
  );

  it("never puts a value into SQL", () => {
    const bound: unknown[] = [];
    const bind = (value: unknown) => `$${bound.push(value)}`;
    const sql = parseFilter("a=eq.'; drop table x --,b=in.(1,2),c=not.is.null,d=isdistinct.%x%")
      .map((condition) => toSql(condition, "c0", "numeric", bind))
      .join(" and ");
    expect(sql).toBe(
      "(c0 = $1::text::numeric) and (c0 = any($2::text[]::numeric[])) and not (c0 is null) and (c0 is distinct from $3::text::numeric)",
    );
    expect(bound).toEqual(["'; drop table x --", ["1", "2"], "%x%"]);
  });
});
