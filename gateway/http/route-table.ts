// Which paths exist with which methods: Fastify has only "no such route", a caller deserves 405 and its Allow.
export type KnownRoutes = ReturnType<typeof createKnownRoutes>

type Entry = { readonly matches: RegExp; readonly methods: Set<string> }

function matcher(pattern: string): RegExp {
  const source = pattern
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('\\*', '.*')))
    .join('/')
  return new RegExp(`^${source}$`)
}

export function createKnownRoutes() {
  const entries = new Map<string, Entry>()
  return {
    add: (method: string | readonly string[], pattern: string): void => {
      const entry = entries.get(pattern) ?? { matches: matcher(pattern), methods: new Set() }
      for (const each of [method].flat()) entry.methods.add(each)
      entries.set(pattern, entry)
    },
    /** The methods a path answers; empty when there is no such path. */
    methodsOf: (path: string): readonly string[] => {
      const found = new Set<string>()
      for (const { matches, methods } of entries.values())
        if (matches.test(path)) for (const method of methods) found.add(method)
      return [...found].sort()
    },
  }
}
