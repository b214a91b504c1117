// No input becomes code: the texts sent are constants around base64, and what Python decodes is what was given.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_PYTHON } from './double.fixture.ts'
import { callProgram, loadProgram, RUNTIME_SHA256, readAnswer, readLoaded, runtimeText, sha256 } from './program.ts'

const request = (value: unknown) => ({ id: 'a1', session: 's', op: 'read_graph', args: { value } })
/** Everything that is not base64. */
const frame = (program: string) => program.replace(/'[A-Za-z0-9+/]+={0,2}'\)/, "'…')")

const NASTY = [
  `"); import os; os.system("touch MARK") #`,
  `'); import os; os.system('touch MARK') #`,
  `'''`,
  `"""`,
  `\\`,
  `\\'`,
  `'\\\n'`,
  '\n',
  '\r\n',
  '\u2028\u2029\u0085',
  `{__import__('os')}`,
  '%s%n',
  '\\N{BULLET}',
  '\\x27\\u0027',
  '\u0000',
  '\ud800',
  '\u202e\u200b',
  `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`,
]

describe('the program', () => {
  it('changed on disk it is not sent', () => {
    expect(() => loadProgram(`${runtimeText()}\nimport os`)).toThrow('changed on disk')
  })

  it('is the one that was tested', () => {
    expect(sha256(runtimeText())).toBe(RUNTIME_SHA256)
    expect(loadProgram()).toBe(loadProgram())
  })

  it('has no way to run text or a console command (security case PC-03)', () => {
    expect(runtimeText()).not.toMatch(/\b(exec|eval|(?<!re\.)compile|__import__|subprocess|os\.system|popen)\b/)
    expect(runtimeText()).not.toMatch(/console_command|execute_python|importlib/)
  })
})

describe('arguments', () => {
  it('never change the text around them, and hold no character that could end it', () => {
    const constant = frame(callProgram(request('')))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constantFrom(...NASTY)), (value) => {
        const program = callProgram(request(value))
        const encoded = /'([A-Za-z0-9+/]+={0,2})'\)$/.exec(program)?.[1] ?? ''
        return (
          frame(program) === constant && Buffer.from(encoded, 'base64').toString() === JSON.stringify(request(value))
        )
      }),
      { numRuns: Number(process.env.GANTRY_FUZZ_RUNS ?? 10_000) },
    )
  })

  it('as keys they are data too', () => {
    const constant = frame(callProgram(request('')))
    for (const text of [...NASTY, 'x'.repeat(1_000_000)])
      expect(frame(callProgram(request({ [text]: { [text]: [text] } })))).toBe(constant)
  })

  it.skipIf(NO_PYTHON)(
    `in real Python decode to what was given (${NO_PYTHON ?? 'CPython'}) (security case PC-02)`,
    async () => {
      // A program of ours, with a stand-in for the module in the editor that answers what it decoded.
      const host = [
        'import base64, json, sys, types',
        "module = types.ModuleType('gantry_pcg')",
        'module.call = lambda text: print(json.dumps(json.loads(base64.b64decode(text))), flush=True)',
        "sys.modules['gantry_pcg'] = module",
        'for line in sys.stdin:',
        "    exec(compile(json.loads(line), '<remote>', 'exec'), {})",
      ].join('\n')
      const python = spawn(process.platform === 'win32' ? 'python' : 'python3', ['-B', '-c', host])
      const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]()
      const given = [
        ...NASTY,
        ...NASTY.map((text) => ({ [text]: [text, null, true, false, -0.5, 1e300] })),
        ...fc.sample(fc.jsonValue({ maxDepth: 4 }), 1500),
      ]
      try {
        for (const value of given) {
          python.stdin.write(`${JSON.stringify(callProgram(request(value)))}\n`)
          const { value: line } = await lines.next()
          expect(JSON.parse(String(line))).toEqual(JSON.parse(JSON.stringify(request(value))))
        }
      } finally {
        python.stdin.end()
      }
    },
  )
})

describe('answers', () => {
  const answer = (value: unknown, id = 'a1') => JSON.stringify({ id, value })
  const lines = (text: string, id = 'a1', size = 7) => {
    const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []
    return pieces.map((piece, at) => `@gantry ${id} ${at + 1}/${pieces.length} ${piece}`)
  }

  it('without the pieces of this call, or not all of them, or twice, they are refused', () => {
    const whole = lines(answer({ a: 'some longer text' }))
    for (const bad of [[], ['noise'], whole.slice(1), whole.slice(0, -1), [...whole, ...whole], lines(answer(1), 'b2')])
      expect(() => readAnswer(bad, 'a1')).toThrow('read back before repeating')
  })

  it('that are not JSON, too deep, or of another call are refused', () => {
    for (const text of [
      '{"id":"a1","value":NaN}',
      'not json',
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      '"a1"',
      answer(1, 'b2'),
    ])
      expect(() => readAnswer(lines(text, 'a1', 900), 'a1'), text.slice(0, 20)).toThrow()
  })

  it('are found among the lines of others, in any order', () => {
    const text = answer({ text: '@gantry a1 1/1 {}', list: [1, 2] })
    const shuffled = ['LogPCG: Warning', ...lines(text).reverse(), '@gantry b2 1/1 {"id":"b2"}', '@gantryish']
    expect(readAnswer(shuffled, 'a1')).toEqual({ kind: 'value', value: { text: '@gantry a1 1/1 {}', list: [1, 2] } })
  })

  it('distinguish a refusal, a failure and a missing program', () => {
    const of = (body: object) => readAnswer(lines(JSON.stringify({ id: 'a1', ...body })), 'a1')
    expect(of({ refusal: { code: 'CYCLE', message: 'm' } })).toEqual({ kind: 'refusal', code: 'CYCLE', message: 'm' })
    expect(of({ failure: 'TypeError: x' })).toEqual({ kind: 'failure', message: 'TypeError: x' })
    expect(readAnswer(['@gantry missing 1/1 -'], 'a1')).toEqual({ kind: 'missing' })
    expect(readLoaded(['@gantry loaded 1/1 abc'])).toBe('abc')
  })
})
