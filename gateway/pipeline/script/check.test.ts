// What the check of a script finds, where, and what it leaves alone.
import { transformSync } from 'amaro'
import { describe, expect, it } from 'vitest'
import { checkScript } from './check.ts'
import { GLOBALS } from './globals.ts'
import { checkedScript, runIsolated } from './isolates.ts'

const NODE = { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false }
const TOOLS = [
  {
    name: 'issues__get',
    input: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        state: { enum: ['open', 'closed'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['id'],
    },
    result: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        node: { $ref: '#/$defs/node' },
        labels: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      },
      $defs: { node: NODE },
    },
  },
  { name: 'issues__any', input: { type: 'object' }, result: null },
]
const GIVEN = {
  inputSchema: { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
  tools: TOOLS,
}
const COUNT = '  return { count: 1 }'
const ALL = "  await call('issues__any', {})"
const main = (lines: readonly string[]) => ['export default async function (input: Input) {', ...lines, '}'].join('\n')

function found(source: string) {
  const { code } = transformSync(source, { mode: 'strip-only' })
  return checkScript({ ...GIVEN, source, js: code }).map(
    ({ line, severity, message }) => `${line} ${severity}: ${message}`,
  )
}
/** Of the second line of the main function; the other tool is called, and the result is right. */
const inMain = (line: string) => found(main([line, ALL, "  await call('issues__get', { id: 1 })", COUNT]))

describe('the check of a script', () => {
  it.each([
    ["await call('issues__list', {})", '"issues__list" is not a tool of this script'],
    ["await call('issues__get', {})", 'issues__get needs "id"'],
    ["await call('issues__get')", 'issues__get needs "id"'],
    ["await call('issues__get', { id: 'one' })", '"id" is text; it must be a number'],
    ["await call('issues__get', { id: input.text })", '"id" is text; it must be a number'],
    ["await call('issues__get', { id: call('issues__any', {}) })", '"id" is a promise; it must be a number'],
    ["await call('issues__get', { id: 1, idd: 2 })", 'issues__get has no "idd"'],
    ["await call('issues__get', { id: 1, state: 'lost' })", '"state" must be "open" or "closed"'],
    ["await call('issues__get', { id: 1, tags: [1] })", '"tags" is a number; it must be text'],
    [
      "await callMany([1].map((id) => ({ tool: 'issues__get' as const, args: { id: `${id}` } })))",
      '"id" is text; it must be a number',
    ],
    ["const a = await call('issues__get', { id: 1 }); a.titel", 'There is no "titel" in this value'],
    ["const { titel } = await call('issues__get', { id: 1 })", 'There is no "titel" in this value'],
    ["const a = await call('issues__get', { id: 1 }); a.node.next.last", 'There is no "last" in this value'],
    [
      "const a = await call('issues__get', { id: 1 }); a.labels.map((each) => each.nam)",
      'There is no "nam" in this value',
    ],
    [
      "const a = await callMany([{ tool: 'issues__get', args: { id: 1 } }]); for (const each of a) each.titel",
      'There is no "titel" in this value',
    ],
    ["call('issues__get', { id: 1 }).title", '"title" is read from a promise: "await" is missing'],
    ['input.none', 'There is no "none" in this value'],
    ["fetch('https://example.com')", 'A script has no "fetch": it calls the tools of its list'],
    ['lost()', '"lost" is not defined'],
    ["await import('node:fs')", 'A script has no modules: it calls the tools of its list'],
    ["return 'text'", 'The result is text; it must be an object'],
    ['return { count: input.text }', '"count" is text; it must be a number'],
    ['return {}', 'The result needs "count"'],
  ])('finds %s', (line, message) => {
    expect(inMain(line)).toEqual([`2 error: ${message}`])
  })

  it.each([
    ["call('issues__get', { id: 1 })", 'The script may end before this call does: "await" is missing'],
    [
      "for (const id of [1]) await call('issues__get', { id })",
      'Each turn of the loop waits for its call; callMany makes them at once',
    ],
  ])('warns of %s', (line, message) => {
    expect(inMain(line)).toEqual([`2 warning: ${message}`])
  })

  it.each([
    "await call('issues__get', { id: '1' } as any)",
    "await call('issues__get', { id: '1' as unknown as number })",
    "await call('issues__more' as any, {})",
    "await call('issues__get', { id: { $ref: 'result:x#/id' } })",
    "const extra = {}; await call('issues__get', { ...extra })",
    "const a: any = await call('issues__get', { id: 1 }); a.other",
    "const a = await call('issues__any', {}); a.b.c.d",
    "const a = await tryCall('issues__any', {}); a.json.b",
    "const all = await callMany([{ tool: 'issues__get', args: { id: 1 } }], { settle: true }); all[0]?.json",
    "await Promise.all([1].map((id) => call('issues__get', { id })))",
    "const f = (input: { b: string }) => input.b; f({ b: '' })",
    'const id = input.id ?? 1; const b = { input }; label: for (;;) break label; b.input',
    'return tryCall("issues__any", {})',
    'class A { #b = 1; get c() { return this.#b } }; new A().c; try { f() } catch (error) { error } function f() { arguments }',
  ])('finds nothing in %s', (line) => {
    expect(inMain(line)).toEqual([])
  })

  it('names a tool that is not called, and a text without a main function', () => {
    expect(found(main([ALL, COUNT]))).toEqual([
      '1 warning: issues__get is a tool of this script, which does not call it',
    ])
    expect(found(main(['  const name: any = input.text', '  await call(name, {})', COUNT]))).toEqual([])
    expect(found('const a = 1')[0]).toContain('A script has a default export')
    expect(found('export default "text"')).toEqual(expect.not.arrayContaining([expect.stringContaining('default')]))
  })

  it('is of the text as it is written, in a thread that ends', async () => {
    const check = (source: string) => checkedScript({ ...GIVEN, source })
    expect(await check('export default (')).toEqual([
      { line: 1, column: 17, severity: 'error', message: expect.any(String) },
    ])
    expect(await check('\nenum A { b }')).toMatchObject([{ line: 2, column: 1 }])
    // Letters of any script before the place of a problem.
    const odd = main([
      "  const ü: 'ß→😀' = 'ß→😀' as any; await call('issues__any', {}); lost(ü)",
      "  await call('issues__get', { id: 1 })",
      COUNT,
    ])
    expect(await check(odd)).toMatchObject([{ line: 2, message: '"lost" is not defined' }])
    expect(await check(`x${'('.repeat(30_000)}`)).toMatchObject([{ severity: 'error' }])
  })

  it('has the global names of an isolate in its list', async () => {
    const js = 'export default () => Object.getOwnPropertyNames(globalThis)'
    const end = await runIsolated({
      js,
      input: '{}',
      startedMs: 0,
      limits: { timeoutMs: 60_000, cpuMs: 5_000, memoryBytes: 32 * 1_048_576, calls: 1, parallel: 1 },
      onAsked: async () => ({ isError: false, text: '' }),
      onLog: () => undefined,
      onCancel: () => undefined,
    })
    const names = 'result' in end ? (JSON.parse(end.result.json) as string[]) : []
    expect([...GLOBALS].filter((name) => !names.includes(name))).toEqual([])
  })
})
