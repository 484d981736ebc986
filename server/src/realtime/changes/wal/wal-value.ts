// Turns the text PostgreSQL writes for a value into the JSON value Supabase sends for its type (that of `to_jsonb`).

/** `type` is the name in pg_type; a leading underscore means an array of it. */
export function toJson(type: string, text: string | null): unknown {
  if (text === null) return null;
  if (type.startsWith("_")) return parseArray(text, type.slice(1));
  switch (type) {
    case "bool":
      return text === "t" || text === "true";
    case "int2":
    case "int4":
    case "int8":
    case "oid":
    case "float4":
    case "float8":
    case "numeric": {
      const number = Number(text);
      return Number.isFinite(number) ? number : text;
    }
    case "json":
    case "jsonb":
      return JSON.parse(text);
    case "timestamp":
    case "timestamptz":
      return text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
    default:
      return text;
  }
}

/** `{a,"b c",NULL,{…}}`: unquoted NULL is null, braces nest. */
function parseArray(text: string, type: string): unknown {
  let at = text.indexOf("{"); // skips explicit bounds such as [0:2]=
  if (at < 0) return text;

  const parseLevel = (): unknown[] => {
    const items: unknown[] = [];
    at++; // the opening brace
    while (at < text.length && text[at] !== "}") {
      if (text[at] === ",") at++;
      else if (text[at] === "{") items.push(parseLevel());
      else items.push(parseItem());
    }
    at++; // the closing one
    return items;
  };

  const parseItem = (): unknown => {
    if (text[at] !== '"') {
      const end = text.slice(at).search(/[,}]/) + at;
      const item = text.slice(at, end);
      at = end;
      return item === "NULL" ? null : toJson(type, item);
    }
    let item = "";
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === "\\") at++;
      item += text[at];
    }
    at++;
    return toJson(type, item);
  };

  return parseLevel();
}
