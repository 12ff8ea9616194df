// The part of GraphQL's language that our operations use: fields with aliases, arguments with
// variables, fragments. Directives, directives' arguments and block strings are not read.

/** The operations and fragments of a document. */
export function parse(text) {
  const tokens = text.match(/\.\.\.|"[^"]*"|[A-Za-z_]\w*|-?\d+|[{}()[\]:$!=]/g) ?? [];
  let next = 0;
  const peek = () => tokens[next];
  const take = (expected) => {
    const token = tokens[next++];
    if (expected && token !== expected) throw new Error(`${expected} expected, not ${token}`);
    return token;
  };
  const value = () => {
    const token = take();
    if (token === "$") return { variable: take() };
    if (token === "[") {
      const items = [];
      while (peek() !== "]") items.push(value());
      take("]");
      return { items };
    }
    if (token.startsWith('"')) return { literal: token.slice(1, -1) };
    if (/^-?\d/.test(token)) return { literal: Number(token) };
    return { literal: { true: true, false: false, null: null }[token] ?? token };
  };
  const arguments_ = () => {
    const found = {};
    if (peek() !== "(") return found;
    take("(");
    while (peek() !== ")") {
      const name = take();
      take(":");
      found[name] = value();
    }
    take(")");
    return found;
  };
  const selections = () => {
    const found = [];
    take("{");
    while (peek() !== "}") {
      if (peek() === "...") {
        take();
        if (peek() === "on") {
          take();
          found.push({ on: take(), fields: selections() });
        } else {
          found.push({ fragment: take() });
        }
        continue;
      }
      let name = take();
      const alias = name;
      if (peek() === ":") {
        take();
        name = take();
      }
      const field = { alias, name, arguments: arguments_() };
      if (peek() === "{") field.fields = selections();
      found.push(field);
    }
    take("}");
    return found;
  };
  const document = { operations: [], fragments: {} };
  while (next < tokens.length) {
    if (peek() === "fragment") {
      take();
      const name = take();
      take("on");
      document.fragments[name] = { on: take(), fields: selections() };
      continue;
    }
    const operation = { type: "query", name: "" };
    if (peek() !== "{") {
      operation.type = take();
      if (peek() !== "{" && peek() !== "(") operation.name = take();
      if (peek() === "(") {
        while (take() !== ")");
      }
    }
    operation.fields = selections();
    document.operations.push(operation);
  }
  return document;
}

export function resolve(argument, variables) {
  if ("variable" in argument) return variables[argument.variable] ?? null;
  if ("items" in argument) return argument.items.map((item) => resolve(item, variables));
  return argument.literal;
}

/** The fields of a selection on a type, with fragments spread. */
export function spread(fields, type, fragments) {
  return fields.flatMap((field) => {
    if (field.fragment) return spread(fragments[field.fragment].fields, type, fragments);
    if (field.on) return field.on === type ? spread(field.fields, type, fragments) : [];
    return [field];
  });
}
