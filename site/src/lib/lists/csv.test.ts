import { expect, it } from "vitest";
import { collectCsv, csvMoney, csvRecord, csvTime, type CsvColumn } from "./csv.ts";

it("quotes what would break a record", () => {
  expect(csvRecord(["plain", 'Say "hi"', "a,b", "two\nlines", null, 12.5])).toBe(
    'plain,"Say ""hi""","a,b","two\nlines",,12.5\r\n',
  );
});

it("keeps a spreadsheet from running a cell as a formula", () => {
  expect(csvRecord(["=1+1", "+1", "-1", "@SUM(A1)", "\tx"])).toBe("'=1+1,'+1,'-1,'@SUM(A1),'\tx\r\n");
  expect(csvRecord(["1", "Ana; =1+1;b", "a\t+1\n-1"])).toBe("1,Ana; '=1+1;b,\"a\t'+1\n'-1\"\r\n");
  expect(csvRecord(['=HYPERLINK("x")'])).toBe('"\'=HYPERLINK(""x"")"\r\n');
});

it("keeps phone numbers as text, not as calculations", () => {
  expect(csvRecord(["+17135550100", "+1-713-555-0100", "+1 (713) 555.0100"])).toBe(
    "+1 713-555-0100,+1 713-555-0100,+1 713-555-0100\r\n",
  );
  expect(csvRecord(["+4930123456", "+44-20-7946-0958", "713-555-0100", "(713) 555-0100"])).toBe(
    "+493012 3456,+44 20 7946 0958,713-555-0100,(713) 555-0100\r\n",
  );
  expect(csvRecord(["+1+cmd|'/C calc'!A0", "+A1+1713555"])).toBe("'+1+cmd|'/C calc'!A0,'+A1+1713555\r\n");
});

it("keeps text that looks like another number, a date or a truth value as it is written", () => {
  const mangled = [
    "07911123456",
    "1E5",
    "123456789012",
    "1.5",
    "MAY10",
    "10 Jun",
    "June 5, 2025",
    "3-4",
    "1/2/25",
    "10:30",
  ];
  expect(csvRecord([...mangled, "TRUE"])).toBe(
    "'07911123456,'1E5,'123456789012,'1.5,'MAY10,'10 Jun,\"'June 5, 2025\",'3-4,'1/2/25,'10:30,'TRUE\r\n",
  );
  expect(
    csvRecord(["2025", "70.00", "7135550100", "2025-06-07", "May", "Marcus 7", "A1E5", "0a881b2c"]),
  ).toBe("2025,70.00,7135550100,2025-06-07,May,Marcus 7,A1E5,0a881b2c\r\n");
});

it("writes times in ISO order, in Houston", () => {
  expect(csvRecord([csvTime("2025-06-07T19:05:09Z"), csvTime("2025-12-01T05:00:00Z"), csvTime(null)])).toBe(
    "2025-06-07 14:05,2025-11-30 23:00,\r\n",
  );
});

it("writes money with two decimals", () => {
  expect(csvRecord([csvMoney(4500), csvMoney(-5), csvMoney(0)])).toBe("45.00,-0.05,0.00\r\n");
});

it("leaves numbers as numbers", () => {
  expect(csvRecord([-5, 0])).toBe("-5,0\r\n");
});

it("collects page after page and reports progress", async () => {
  const seen: number[] = [];
  async function* pages() {
    yield [{ name: "a", number: 1 }];
    yield [
      { name: "b", number: 2 },
      { name: "c", number: 3 },
    ];
  }
  const columns: CsvColumn<{ name: string; number: number }>[] = [
    ["Name", ({ name }) => name],
    ["Number", ({ number }) => number],
  ];
  const file = await collectCsv(columns, pages(), (rows) => seen.push(rows));
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await file.arrayBuffer());
  expect(text).toBe("\uFEFFName,Number\r\na,1\r\nb,2\r\nc,3\r\n");
  expect(seen).toEqual([1, 3]);
});
