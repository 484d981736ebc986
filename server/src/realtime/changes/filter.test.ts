import { describe, expect, it } from "vitest";
import { faultIn, FilterError, parseFilter, toSql } from "./filter.ts";

describe("a filter", () => {
  it("consists of one condition, or several joined by commas", () => {
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

  it("has no conditions when the text is empty", () => expect(parseFilter("  ")).toEqual([]));

  it.each([
    ["id", '["id"]'],
    ["id=5", '["5"]'],
    ["undefined", '["undefined"]'],
    ["id=near.5", '["near", "5"]'],
    ["id=not.fts.5", '["fts", "5"]'],
    ["id=constructor.5", '["constructor", "5"]'],
    ["id=in.1", "`in` filter value must be wrapped by parentheses"],
    ["id=eq.1,,id=eq.2", "filter must not contain empty segments (check for extra commas)"],
  ])("is refused when it is %s", (text, reason) => {
    expect(() => parseFilter(text)).toThrow(new FilterError(`Error parsing \`filter\` params: ${reason}`));
  });

  it("has at most twenty conditions", () => {
    expect(() => parseFilter(Array(21).fill("id=eq.1").join(","))).toThrow(FilterError);
  });

  it.each([
    ["a=is.5", "text", "invalid value for is filter: must be null, true, false, or unknown"],
    ["a=is.true", "text", "is true filter requires a boolean column, got text"],
    ["a=not.is.null", "text", undefined],
    ["a=is.unknown", "boolean", undefined],
    [`a=in.(${Array(101).fill(1).join(",")})`, "integer", "too many values for `in` filter. Maximum 100"],
    [`a=like.${"%".repeat(501)}`, "text", "pattern of like filter is too long. Maximum 500"],
    ["a=match.^a\\\\1$", "text", undefined], // a backslash and a 1
    [
      "a=not.imatch.(.+)\\1$",
      "text",
      "invalid regular expression for imatch filter: back-references are not supported",
    ],
    [
      String.raw`a=match.(.+)\c\\1`, // a control character and a back-reference
      "text",
      "invalid regular expression for match filter: back-references are not supported",
    ],
  ])("of %s on %s: %s", (text, sqlType, fault) => {
    expect(faultIn(parseFilter(text)[0]!, sqlType)).toBe(fault);
  });

  it("never puts a value into SQL", () => {
    const bound: unknown[] = [];
    const bind = (value: unknown) => `$${bound.push(value)}`;
    const sql = parseFilter(
      "a=eq.'; drop table x --,b=in.(1,2),c=not.is.null,d=isdistinct.%x%,e=not.imatch.^x",
    )
      .map((condition) => toSql(condition, "c0", "numeric", bind))
      .join(" and ");
    expect(sql).toBe(
      "(c0 = $1::text::numeric) and (c0 = any($2::text[]::numeric[])) and not (c0 is null) and (c0 is distinct from $3::text::numeric)" +
        " and not (c0 ~* $4::text)",
    );
    expect(bound).toEqual(["'; drop table x --", ["1", "2"], "%x%", "^x"]);
    const [crafted] = parseFilter("a=is.null or (select true)");
    expect(() => toSql(crafted!, "c0", "numeric", bind)).toThrow(FilterError);
  });
});
