// Watches the official client in a test: knows the methods of each object from its class, and which of them the test called.

export interface ClientCalls {
  /** Returns the object with its calls recorded, and those of the objects that its methods return. */
  watch<T extends object>(object: T): T;
  /** Methods of watched objects that were never called, such as `RealtimeChannel.track`. */
  uncalled(): string[];
  /** The number of methods that watched objects have. */
  known(): number;
}

/** `inner` matches methods that exist in JavaScript but not in the client's types. Names that begin with `_` are always left out. */
export function watchCalls(inner: RegExp): ClientCalls {
  const methods = new Set<string>();
  const called = new Set<string>();
  const watched = new WeakMap<object, object>();
  const originals = new WeakMap<object, object>();
  const original = (value: unknown) => originals.get(value as object) ?? value;

  const watch = <T extends object>(object: T): T => {
    const known = originals.has(object) ? object : watched.get(object);
    if (known) return known as T;
    for (const name of methodsOf(object).values()) if (!inner.test(name)) methods.add(name);
    const proxy = new Proxy<T>(object, { get: read });
    watched.set(object, proxy);
    originals.set(proxy, object);
    return proxy;
  };

  // Call it on the bare object, so that the client's internal calls do not count as the test's.
  function read(object: object, key: string | symbol): unknown {
    const value: unknown = Reflect.get(object, key);
    const name = methodsOf(object).get(key);
    if (typeof value !== "function")
      return name === undefined && isPartOfClient(value) ? watch(value) : value;
    return (...args: unknown[]) => {
      if (name) called.add(name);
      const answer: unknown = value.apply(object, args.map(original));
      return isPartOfClient(answer) ? watch(answer) : answer;
    };
  }

  return {
    watch,
    uncalled: () => [...methods].filter((method) => !called.has(method)),
    known: () => methods.size,
  };
}

/** By key, named after the class that defines them. */
function methodsOf(object: object): Map<string | symbol, string> {
  const names = new Map<string | symbol, string>();
  for (let at = Object.getPrototypeOf(object); at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === "function" && key !== "constructor" && !key.startsWith("_") && !names.has(key))
        names.set(key, `${(at.constructor as { name: string }).name}.${key}`);
  return names;
}

/** An instance of one of the client's classes, not a JavaScript built-in or plain data. */
function isPartOfClient(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const { constructor } = value;
  return constructor !== Object && (globalThis as Record<string, unknown>)[constructor.name] !== constructor;
}
