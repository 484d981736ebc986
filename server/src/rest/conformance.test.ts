// The service answers as the real PostgREST does: both get the same requests on equal databases. Intended differences
// are listed with their reasons.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CALLS } from "../../testing/conformance/call-cases.ts";
import {
  ACCEPTED,
  BODIES,
  FILTERED_EMBEDDINGS,
  METHODS,
  PAGES,
  PERMITTED,
  PREFERRED,
} from "../../testing/conformance/combined-cases.ts";
import { compare } from "../../testing/conformance/compare.ts";
import {
  AGGREGATES,
  MEDIA,
  OPTIONS,
  PREFERENCES,
  PUTS,
  SCHEMAS,
  SPREADS,
  SURROUNDINGS,
} from "../../testing/conformance/feature-cases.ts";
import {
  COLUMNS,
  EMBEDDINGS,
  FILTERS,
  FORMATS,
  ORDERS,
  RANGES,
  REFUSALS,
} from "../../testing/conformance/read-cases.ts";
import { randomRead } from "../../testing/conformance/generator.ts";
import { SPECIFICATION } from "../../testing/conformance/spec-cases.ts";
import { openSides, type Exchange, type Sides } from "../../testing/conformance/sides.ts";
import {
  COMPARED,
  JSON_PATHS,
  SORTED,
  TREES,
  WRITTEN_OUT,
  WRONG_VALUES,
} from "../../testing/conformance/type-cases.ts";
import { randomWrite } from "../../testing/conformance/write-generator.ts";
import { DELETES, INSERTS, UPDATES, UPSERTS } from "../../testing/conformance/write-cases.ts";

let sides: Sides;
beforeAll(async () => {
  sides = await openSides();
});
afterAll(async () => {
  await sides?.close();
});

const READS = {
  ...{ COLUMNS, REFUSALS, FILTERS, ORDERS, RANGES, FORMATS, EMBEDDINGS },
  ...{ AGGREGATES, SPREADS, OPTIONS, SURROUNDINGS },
  ...{ COMPARED, WRONG_VALUES, SORTED, WRITTEN_OUT, JSON_PATHS, TREES },
  ...{ PAGES, FILTERED_EMBEDDINGS, ACCEPTED },
};
const WRITES = {
  SPECIFICATION,
  SCHEMAS,
  PUTS,
  PREFERENCES,
  MEDIA,
  INSERTS,
  UPSERTS,
  UPDATES,
  DELETES,
  CALLS,
  METHODS,
  PREFERRED,
  PERMITTED,
  BODIES,
};

describe.each(Object.entries(READS))("answers as PostgREST: %s", (_, exchanges) => {
  test.each(titled(exchanges))("%s", async (_title, exchange) => {
    const { ours, postgrest } = await compare(sides, exchange);
    expect(ours).toEqual(postgrest);
  });
});

describe.each(Object.entries(WRITES))("answers and writes as PostgREST: %s", (_, exchanges) => {
  test.each(titled(exchanges))("%s", async (_title, exchange) => {
    const { ours, postgrest } = await compare(sides, exchange);
    expect(ours).toEqual(postgrest);
    const contents = await sides.contents();
    expect(contents.ours).toEqual(contents.postgrest);
  });
});

function titled(exchanges: readonly Exchange[]): [string, Exchange][] {
  return exchanges.map((exchange) => {
    const { method = "GET", path, headers, body, as } = exchange;
    const more = [headers, body, as].filter((part) => part !== undefined).map((part) => JSON.stringify(part));
    return [[method, path, ...more].join(" ").replaceAll("%", "%%"), exchange];
  });
}

test("answers random reads as PostgREST", async () => {
  await fc.assert(
    fc.asyncProperty(randomRead, async (exchange) => {
      const { ours, postgrest } = await compare(sides, exchange);
      expect(ours).toEqual(postgrest);
    }),
    { numRuns: 500 },
  );
});

test("answers random writes as PostgREST, and writes the same rows", async () => {
  await fc.assert(
    fc.asyncProperty(randomWrite, async (exchange) => {
      const { ours, postgrest } = await compare(sides, exchange);
      expect(ours).toEqual(postgrest);
      const contents = await sides.contents();
      expect(contents.ours).toEqual(contents.postgrest);
    }),
    // Each write starts from what the one before it left, so a failure cannot be shrunk.
    { numRuns: 200, endOnFailure: true },
  );
});
