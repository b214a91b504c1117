// What a script reaches, and how it ends: nothing outside its isolate, and always.
import { Worker } from 'node:worker_threads'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Answer, type Asked, compileScript, type RunEnd, runIsolated } from './isolates.ts'
import type { Limits } from './messages.ts'

const LIMITS: Limits = { timeoutMs: 60_000, cpuMs: 300, memoryBytes: 32 * 1_048_576, calls: 100, parallel: 8 }

type Given = {
  readonly limits?: Partial<Limits>
  readonly answer?: (asked: Asked) => Promise<Answer> | Answer
  readonly onCancel?: (cancel: () => void) => void
  readonly input?: unknown
}
const fine: Answer = { isError: false, text: '{"v":1}' }

function ran(js: string, { limits, answer = () => fine, onCancel = () => undefined, input = {} }: Given = {}) {
  const lines: string[] = []
  const end = runIsolated({
    js,
    input: JSON.stringify(input),
    startedMs: Date.UTC(2026, 0, 2),
    limits: { ...LIMITS, ...limits },
    onAsked: async (asked) => answer(asked),
    onLog: (line) => void lines.push(line),
    onCancel,
  })
  return { end, lines }
}
const main = (body: string) => `export default async (input) => ${body}`
const valueOf = (end: RunEnd): unknown => ('result' in end ? JSON.parse(end.result.json) : end.failure)
const value = async (body: string, given?: Given) => valueOf(await ran(main(body), given).end)

beforeAll(() => value('0'))

describe('a script', () => {
  it('has its input, its calls and nothing else', async () => {
    expect(await value('input.a + (await call("x__y", { b: 1 })).v', { input: { a: 2 } })).toBe(3)
    const names = ['process', 'fetch', 'require', 'eval', 'Function', 'setTimeout', 'performance', 'WebAssembly']
    expect(await value(`[${names.map((name) => `typeof ${name}`).join()}]`)).toEqual(names.map(() => 'undefined'))
  })

  it.each([
    ['a function', '(function () {}).constructor'],
    ['an async function', '(async () => {}).constructor'],
    ['a generator', '(function* () {}).constructor'],
    ['an async generator', '(async function* () {}).constructor'],
    ['a function of the gateway', 'call.constructor'],
    ['a method', '[].map.constructor'],
  ])('reaches no constructor of functions through %s', async (_what, path) => {
    expect(await value(`${path} === undefined`)).toBe(true)
    expect(await value(`${path}('return 1')()`)).toMatchObject({ reason: 'threw' })
  })

  it('has no modules, and no clock but the time of its start', async () => {
    for (const body of ['import("node:fs")', 'import("./prelude.js")', 'import("data:text/javascript,1")'])
      expect(await value(body)).toMatchObject({ reason: 'threw' })
    expect(valueOf(await ran('import fs from "node:fs"; export default () => 1').end)).toMatchObject({
      reason: 'threw',
    })
    const started = Date.UTC(2026, 0, 2)
    expect(await value('[Date.now(), new Date().getTime(), new Date(0).constructor.now()]')).toEqual([
      started,
      started,
      started,
    ])
    expect(await value('[new Date(2020, 1).getTimezoneOffset(), new Date(0).getTime()]')).toEqual([0, 0])
  })

  it('keeps what it changes of the language to itself, and from the next run', async () => {
    const body =
      '{ Object.prototype.polluted = 1; Array.prototype.map = null; Promise.prototype.then = null; JSON.parse = null; return (await call("a", {})).v }'
    expect(await value(body)).toBe(1)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    expect(await value('[({}).polluted, typeof [].map, typeof JSON.parse]')).toEqual([null, 'function', 'function'])
  })

  it('cannot replace what the gateway gave it', async () => {
    for (const name of ['call', 'tryCall', 'callMany', 'keep', 'ToolError', 'console', 'Date'])
      expect(await value(`{ globalThis.${name} = 1 }`)).toMatchObject({ reason: 'threw' })
  })

  it.each([
    ['an infinite loop', '{ for (;;); }', 'cpu'],
    ['a loop that catches everything', '{ for (;;) try { for (;;); } catch {} }', 'cpu'],
    ['a loop in a finally', '{ try { for (;;); } finally { for (;;); } }', 'cpu'],
    ['a pattern of exponential time', '/^(a+)+$/.test("a".repeat(40) + "b")', 'cpu'],
    ['a flood of promises', '{ const again = () => Promise.resolve().then(again); again(); await again() }', 'cpu'],
    ['native work that cannot be interrupted', 'Array(1e9).join("x")', 'cpu'],
    ['a string without end', '"x".repeat(1e9)', 'memory'],
    ['a buffer beyond the memory', 'new Uint8Array(1e9)', 'memory'],
    ['a string that doubles', '{ let text = "x"; for (;;) text += text }', 'threw'],
    ['recursion without end', '{ const again = () => again() + 1; return again() }', 'threw'],
    ['text of a million brackets', 'JSON.parse("[".repeat(1e6))', 'threw'],
    ['a promise that never settles', 'new Promise(() => {})', 'threw'],
    ['a proxy that asks itself', '{ const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x }', 'threw'],
  ])('ends for %s', async (_what, body, reason) => {
    expect(await value(body, { limits: { cpuMs: 100 } })).toMatchObject({ reason })
  })

  it('is not ended for the time in which its thread has not begun', async () => {
    const { postMessage } = Worker.prototype
    const held = vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker, ...message) {
      setTimeout(() => postMessage.apply(this, message), 1_500)
    })
    onTestFinished(() => held.mockRestore())
    expect(await value('1', { limits: { cpuMs: 50 } })).toBe(1)
  })

  it('ends for memory that grows piece by piece', async () => {
    const body = '{ const all = []; for (;;) all.push(new Uint8Array(1e6)) }'
    const end = await value(body, { limits: { cpuMs: 20_000 } })
    expect(end).toMatchObject({ reason: 'memory' })
  })

  it.each([
    ['a cycle', '{ const o = {}; o.o = o; return o }'],
    ['a getter that throws', '({ get a() { throw new Error("g") } })'],
    ['a toJSON that throws', '({ toJSON() { throw 1 } })'],
    ['a bigint', '10n'],
    ['a symbol', 'Symbol()'],
    ['a function', '() => 1'],
    ['a thrown getter', '{ throw { get message() { throw 1 } } }'],
    ['a thrown proxy', '{ throw new Proxy({}, { get() { throw 1 } }) }'],
    ['a thrown nothing', '{ throw undefined }'],
    ['arguments with a getter that throws', 'call("x", { get a() { throw new Error("q") } })'],
    ['a call without a name', 'call(1)'],
  ])('fails with a message for %s', async (_what, body) => {
    expect(await value(body)).toMatchObject({ reason: 'threw', message: expect.stringMatching(/./) })
  })

  it('ends for a thrown getter that loops', async () => {
    expect(await value('{ throw { get message() { for (;;); } } }')).toMatchObject({ reason: 'cpu' })
  })

  it('names the line that threw', async () => {
    const end = await ran('export default async () => {\n  null.x\n}').end
    expect(valueOf(end)).toMatchObject({ message: expect.stringContaining('(line 2)') })
  })

  it('prints at most 100 lines', async () => {
    const { end, lines } = ran(main('{ for (let i = 0; i < 200; i++) console.log("line", { i }) }'))
    await end
    expect([lines.length, lines[0]]).toEqual([100, 'line {"i":0}'])
  })
})

describe('calls of a script', () => {
  it('are bounded in number, and a run that exceeds it ends', async () => {
    const body = '{ for (let i = 0; i < 101; i++) await call("x", {}) }'
    expect(await value(body)).toEqual({ reason: 'calls', message: 'The script makes more than 100 calls' })
  })

  it('are bounded in parallel, by callMany and by the gateway', async () => {
    async function mostAtOnce(body: string, expected: number): Promise<number> {
      let now = 0
      let most = 0
      const full = Promise.withResolvers<void>()
      const answer = async () => {
        now += 1
        most = Math.max(most, now)
        if (now === expected) full.resolve()
        await full.promise
        await new Promise((resolve) => setImmediate(resolve))
        now -= 1
        return fine
      }
      await ran(main(body), { answer }).end
      return most
    }
    const calls = 'Array.from({ length: 40 }, (_, i) => ({ tool: "x", args: { i } }))'
    expect(await mostAtOnce(`(await callMany(${calls}, { parallel: 3 })).length`, 3)).toBe(3)
    expect(await mostAtOnce(`(await Promise.all(${calls}.map(() => call("x", {})))).length`, 8)).toBe(8)
  })

  it('throw a ToolError, which can be caught, or names its call', async () => {
    const answer = () => ({ isError: true, text: 'no', code: 'quota', tool: 'a__b' })
    const caught =
      '{ try { await call("a__b") } catch (error) { return [error instanceof ToolError, error.code, error.tool, error.message] } }'
    expect(await value(caught, { answer })).toEqual([true, 'quota', 'a__b', 'no'])
    expect(await value('call("a__b")', { answer })).toMatchObject({ reason: 'threw', callId: 1 })
    expect(await value('(await tryCall("a__b")).code', { answer })).toBe('quota')
    expect(await value('callMany([{ tool: "a__b" }], { settle: true })', { answer })).toMatchObject([{ code: 'quota' }])
  })

  it('pass on an answer unchanged', async () => {
    expect(await ran(main('tryCall("a__b")')).end).toMatchObject({ result: { callId: 1 } })
    expect(await ran(main('({ ...(await tryCall("a__b")) })')).end).toMatchObject({
      result: { json: expect.stringContaining('"v":1') },
    })
  })

  it('end with a cancellation, and the answers that come later reach no other run', async () => {
    let cancel = (): void => undefined
    let release = (_answer: Answer): void => undefined
    const answer = () =>
      new Promise<Answer>((resolve) => {
        release = resolve
        cancel()
      })
    const { end } = ran(main('call("x")'), { answer, onCancel: (how) => void (cancel = how) })
    expect(await end).toMatchObject({ failure: { reason: 'cancelled' } })
    release(fine)
    expect(await value('1')).toBe(1)
  })

  it('end with the time of the run', async () => {
    const answer = () => new Promise<Answer>(() => undefined)
    expect(await value('call("x")', { answer, limits: { timeoutMs: 50 } })).toMatchObject({ reason: 'timeout' })
  })
})

it('a run that is ended fails alone, and more runs than threads take turns', async () => {
  const spinning = ran(main('Array(1e9).join("x")'), { limits: { cpuMs: 100 } }).end
  const others = Array.from({ length: 8 }, (_, i) => value(`${i} + (await call("x")).v`))
  expect(await Promise.all(others)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(valueOf(await spinning)).toMatchObject({ reason: 'cpu' })
})

describe('a text', () => {
  it('loses its types and keeps its lines', async () => {
    const compiled = await compileScript('interface A { b: number }\nexport default (a: A): number => a.b')
    expect(compiled).toEqual({ js: expect.stringMatching(/^\s+\nexport default \(a\s*\)\s*=> a\.b$/) })
  })

  it.each([
    ['what has no JavaScript', 'enum A { b }'],
    ['what is no program', 'export default ('],
    ['what no parser can hold', `x${'('.repeat(30_000)}`],
    ['what the engine does not read', 'export default () => { return 1 +; }'],
  ])('is refused where it is %s', async (_what, source) => {
    expect(await compileScript(source)).toEqual({
      problem: {
        line: expect.any(Number),
        column: expect.any(Number),
        severity: 'error',
        message: expect.stringMatching(/./),
      },
    })
  })
})
