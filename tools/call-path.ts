// What a plain call can reach: every module from its entries on, without what a call does not pay for. `npm run check` runs this.
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Where a call enters, from the socket to its row; each exists. */
export const ENTRIES = [
  'gateway/http/direct-routes.ts',
  'gateway/auth/data-plane.ts',
  'gateway/surfaces/endpoint.ts',
  'gateway/surfaces/handlers.ts',
  'gateway/surfaces/directory.ts',
  'gateway/surfaces/input-required.ts',
  'gateway/pipeline/run.ts',
  'gateway/pipeline/chain.ts',
  'gateway/pipeline/7-dispatch/index.ts',
  'gateway/pipeline/7-dispatch/mcp/index.ts',
  'gateway/pipeline/8-audit/call-log.ts',
  'gateway/upstream/index.ts',
  'gateway/net/outbound.ts',
]

type Rule = { readonly what: string; readonly pattern: RegExp; readonly permitted: Readonly<Record<string, string>> }

const RULES: readonly Rule[] = [
  { what: 'an SDK of MCP', pattern: /^import\s(?!type\b).*'@modelcontextprotocol\//, permitted: {} },
  { what: 'fetch', pattern: /\bfetch\(/, permitted: {} },
  {
    what: 'a parse with zod',
    pattern: /(?<!\b(?:JSON|Date|path|URL))\.(?:safeParse|parse)(?:Async)?\(/,
    permitted: { 'gateway/text/exact-json.ts': 'a JSON parser that keeps long numbers' },
  },
  {
    what: 'JSON.stringify of a list of tools',
    pattern: /JSON\.stringify\((?:\{ *tools|[^)]*(?:\btools\b|[lL]isted\b))/,
    permitted: { 'gateway/surfaces/listed.ts': 'written once for each tool, when its surface is built' },
  },
]

const IMPORT = /^(?:import|export)\s+(?!type\b)(?:([^'"]*?)\sfrom\s+)?'([^']+)'/gms
const onlyTypes = (names: string): boolean =>
  /^\{[^}]*\}$/s.test(names) &&
  names
    .slice(1, -1)
    .split(',')
    .every((name) => name.trim() === '' || name.trim().startsWith('type '))

/** Modules that run, by import from the entries. */
export function reachable(root: string, entries: readonly string[] = ENTRIES): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue
    const text = readFileSync(path.join(root, file), 'utf8')
    found.set(file, text)
    for (const [, names = '', from = ''] of text.matchAll(IMPORT))
      if (from.startsWith('.') && !onlyTypes(names.trim())) waiting.push(path.join(path.dirname(file), from))
  }
  return found
}

export function violations(root: string, entries: readonly string[] = ENTRIES): readonly string[] {
  return [...reachable(root, entries)].flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        RULES.filter(({ pattern, permitted }) => pattern.test(line) && !Object.hasOwn(permitted, file)).map(
          ({ what }) => `${file}:${at + 1} a plain call reaches ${what}: ${line.trim()}`,
        ),
      ),
  )
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..')
  const found = violations(root)
  process.stdout.write(`${found.join('\n')}${found.length > 0 ? '\n' : ''}`)
  process.exitCode = found.length > 0 ? 1 : 0
}
