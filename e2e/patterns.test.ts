// No text can make a pattern of the product slow: all of them are run on their worst cases, and must stay linear.
import { Worker } from 'node:worker_threads'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { withFormats } from '../gateway/pipeline/0-admission/validator.ts'
import type { Job, Message, Worst } from './patterns/measure-worker.ts'
import { type Pattern, readSources } from './patterns/product-patterns.ts'

const root = new URL('..', import.meta.url).pathname
/** Of the longest texts, for growth. The long mode takes what an answer may have. */
const LONG = Number(process.env.GANTRY_PATTERN_LENGTH ?? 131_072)
/** In plain searches of the same text. Most patterns cost less than 10; the worst of old cost 1,000 and more. */
const MOST_COST = 200
const MOST_GROWTH = 8
/** One case takes milliseconds; on a machine that is busy with other things, still less than this. */
const STUCK_MS = 20_000

/** Patterns that are only run on short texts, how short, and what sees to that. */
const BOUNDED: readonly {
  readonly file: string
  readonly source: string
  readonly bound: number
  readonly by: string
}[] = [
  {
    file: 'gateway/registry/stored-names.ts',
    source: '(?:_\\d+)+$',
    bound: 128,
    by: 'discovery/names.ts cuts every name',
  },
  {
    file: 'gateway/http/admin-ui.ts',
    source: '^assets\\/.+-[A-Za-z0-9_-]{8,}\\.[a-z0-9]+$',
    bound: 1_024,
    by: 'paths of files in the built application',
  },
  {
    file: 'gateway/discovery/shell-words.ts',
    source: '^(?:\\s*#[^\\n]*\\n)*\\s*(?:[$%>]\\s+)?',
    bound: 65_536,
    by: 'shellWords refuses longer commands',
  },
  {
    file: 'gateway/discovery/shell-words.ts',
    source: '^(?:\\s*(?:#[^\\n]*)?(?:\\n|$))+',
    bound: 65_536,
    by: 'shellWords refuses longer commands',
  },
]

/** Files that build expressions while they run, and of what. */
const BUILDERS: Readonly<Record<string, string>> = {
  'gateway/discovery/schema.ts': 'compiles a pattern of a specification to see whether it is one; never runs it',
  'gateway/http/route-table.ts': 'paths of our own routes',
  'gateway/text/credential-mask.ts': 'the literal spellings of one credential',
  'gateway/text/pattern-syntax.ts': 'one character class at a time, run on one character',
  'gateway/text/orders.ts': 'written out in BUILT',
  'gateway/text/prompt-structures.ts': 'written out in BUILT',
  'renderer/admin/tools/tool-filter.ts': 'words of the person who types, escaped',
  'renderer/studio/findings/lint-words.ts':
    'the forms of the rules, escaped; a finding is one line with names of its graph',
}
/** Files that normalize text in the engine, whose cost is quadratic in a run of marks. */
const NORMALIZERS: Readonly<Record<string, string>> = {
  'gateway/text/normal-form.ts': 'in pieces',
  'gateway/auth/passwords.ts': 'at most 256 characters',
  'gateway/client/packages/zip-reader.ts': 'names of at most 1,024 characters',
  'main/passphrase.ts': 'typed by the person at the desktop',
  'pcg-bridge/unreal/asset-path.ts': 'names of limited length',
}

async function builtPatterns(): Promise<readonly Pattern[]> {
  const made: RegExp[] = []
  const Native = globalThis.RegExp
  class Recorded extends Native {
    constructor(...given: ConstructorParameters<typeof RegExp>) {
      super(...given)
      made.push(this)
    }
  }
  globalThis.RegExp = Recorded as unknown as RegExpConstructor // called with `new` only, by the modules read here
  try {
    // A query makes a module of its own of each, so that its patterns are built again.
    await import(`${root}gateway/text/orders.ts?built`)
    await import(`${root}gateway/text/prompt-structures.ts?built`)
  } finally {
    globalThis.RegExp = Native
  }
  return made.map(({ source, flags }) => ({ name: `built: /${source}/${flags}`, source, flags }))
}

/** What the argument schemas of tools make the validator run over arguments. */
function formatPatterns(): readonly Pattern[] {
  return Object.entries(withFormats(new Ajv()).formats).flatMap(([format, given]) => {
    const rule: unknown = typeof given === 'object' && 'validate' in given ? given.validate : given
    return rule instanceof RegExp
      ? [{ name: `format ${format}: ${String(rule)}`, source: rule.source, flags: rule.flags }]
      : []
  })
}

/** Its lexer reads at most 16,384 characters (`MOST_CHARACTERS`), and stops at the first that fits nothing. */
const LEXER = 'gateway/discovery/graphql-select.ts'

const boundOf = ({ name, source }: Pattern): number | undefined =>
  BOUNDED.find((each) => name.startsWith(`${each.file}:`) && each.source === source)?.bound

type Measured = Worst & { readonly name: string }

/** Runs what is left of the jobs until one is stuck or all are done. */
function measureSome(jobs: readonly Job[], stuckMs: number, into: Measured[]): Promise<number> {
  const worker = new Worker(new URL('patterns/measure-worker.ts', import.meta.url), {
    workerData: { jobs, longLength: LONG, mostCost: MOST_COST },
  })
  return new Promise((resolve, reject) => {
    let [done, last, lastMs] = [0, '', performance.now()]
    const end = (): void => {
      clearInterval(timer)
      void worker.terminate()
      resolve(done)
    }
    const timer = setInterval(() => {
      if (performance.now() - lastMs < stuckMs) return
      into.push({
        name: jobs[done]?.name ?? '',
        pump: last,
        cost: Number.POSITIVE_INFINITY,
        growth: Number.POSITIVE_INFINITY,
      })
      done += 1
      end()
    }, 100)
    worker.on('message', (message: Message) => {
      lastMs = performance.now()
      if (message.kind === 'begins') last = message.pump
      else {
        into.push({ name: message.name, ...message.worst })
        done += 1
        if (done === jobs.length) end()
      }
    })
    worker.on('error', (error) => {
      clearInterval(timer)
      reject(error)
    })
  })
}

async function measured(jobs: readonly Job[], stuckMs = STUCK_MS): Promise<readonly Measured[]> {
  const all: Measured[] = []
  for (let from = 0; from < jobs.length; ) from += await measureSome(jobs.slice(from), stuckMs, all)
  return all
}

const slow = ({ cost, growth }: Worst): boolean => !(cost <= MOST_COST && growth <= MOST_GROWTH)

/** What is slow is slow each time it is measured; what the machine held up is not. */
async function slowEachTime(jobs: readonly Job[], costs: readonly Measured[]): Promise<readonly Measured[]> {
  let found = costs.filter(slow)
  for (let round = 0; round < 2 && found.length > 0; round++) {
    const names = new Set(found.map(({ name }) => name))
    found = (await measured(jobs.filter(({ name }) => names.has(name)))).filter(slow)
  }
  return found
}

/** Read once: it costs seconds. */
let read: ReturnType<typeof readSources> | undefined
const sources = () => (read ??= readSources(root))

describe('patterns', () => {
  it('are all known, and those that are built or bounded have a reason', async () => {
    const { patterns, builders, normalizers } = await sources()
    expect(patterns.length).toBeGreaterThan(400)
    expect(builders.toSorted()).toEqual(Object.keys(BUILDERS).toSorted())
    expect(normalizers.toSorted()).toEqual(Object.keys(NORMALIZERS).toSorted())
    const stale = BOUNDED.filter(
      ({ file, source }) => !patterns.some((each) => each.name.startsWith(`${file}:`) && each.source === source),
    )
    expect(stale).toEqual([])
  })

  it('take time linear in the text, for every text (security case RX-01)', { timeout: 900_000 }, async () => {
    const { patterns } = await sources()
    const seen = new Set<string>()
    const known = patterns.filter(({ name }) => !name.startsWith(`${LEXER}:`))
    const jobs = [...known, ...(await builtPatterns()), ...formatPatterns()].flatMap((each): Job[] => {
      const bound = boundOf(each)
      const key = `${each.flags} ${each.source} ${bound ?? ''}`
      if (seen.has(key)) return []
      seen.add(key)
      return [bound === undefined ? each : { ...each, bound }]
    })
    const costs = await measured(jobs)
    expect(costs.map(({ name }) => name)).toEqual(jobs.map(({ name }) => name))
    expect(await slowEachTime(jobs, costs)).toEqual([])
  })

  it('that are not linear are found out', async () => {
    const bad = ['\\s+$', 'x[^y]*y', 'eyJ[\\w-]{8,4000}\\.eyJ', '\\d+\\.?\\d*$', '<a>[^]{0,8192}?</a>', '(?:a|a)+$']
    const jobs = bad.map((source) => ({ name: source, source, flags: 'g' }))
    const found = new Set((await measured(jobs, 1_000)).filter(slow).map(({ name }) => name))
    expect(bad.filter((source) => !found.has(source))).toEqual([])
  })
})
