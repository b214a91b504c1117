// What a script finds in its isolate, as JavaScript that runs there before it: `call`, `tryCall`, `callMany`, `keep`, `ToolError` and `console.log`, and no clock, `eval` or `Function`.

/** An expression of a function of the three functions of the thread and the time of the start. It returns the two ways in. */
export const PRELUDE = `(send, print, startedMs) => {
  'use strict'
  const { parse, stringify } = JSON
  const { defineProperty, getPrototypeOf, hasOwn } = Object
  const text = String
  const waiting = new Map()
  const origins = new WeakMap()
  let last = 0

  class ToolError extends Error {
    constructor({ text, code, tool }) {
      super(text)
      this.code = code
      this.tool = tool
    }
  }
  defineProperty(ToolError.prototype, 'name', { value: 'ToolError' })

  const ask = (kind, tool, given, settle) => {
    const json = stringify(given)
    const id = (last += 1)
    waiting.set(id, settle)
    send('[' + id + ',"' + kind + '",' + stringify(tool) + ',' + (json === undefined ? 'null' : json) + ']')
  }
  // One promise for a call: each more costs as much as the way out of the isolate.
  const asked = (tool, args, settle) => {
    if (typeof tool !== 'string') throw new TypeError('The first argument of a call is the name of a tool')
    if (typeof args !== 'object' || args === null || Array.isArray(args)) throw new TypeError('The arguments of a tool are an object')
    ask('call', tool, args, settle)
  }
  const thrown = (answer) => {
    const error = new ToolError(answer)
    origins.set(error, origins.get(answer))
    return error
  }
  const tryCall = (tool, args = {}) => new Promise((resolve) => asked(tool, args, resolve))
  const call = (tool, args = {}) => new Promise((resolve, reject) => asked(tool, args, (answer) => {
    if (answer.isError) reject(thrown(answer))
    else resolve(answer.json === undefined ? answer.text : answer.json)
  }))
  const keep = (value) => new Promise((resolve, reject) => ask('keep', '', value, (answer) => {
    if (answer.isError) reject(new Error(answer.text))
    else resolve(answer.json)
  }))

  const callMany = async (calls, { parallel = 8, settle = false } = {}) => {
    const wanted = Array.from(calls)
    const results = wanted.map(() => undefined)
    const one = settle ? tryCall : call
    let next = 0
    const lane = async () => {
      while (next < wanted.length) {
        const at = next++
        results[at] = await one(wanted[at].tool, wanted[at].args)
      }
    }
    const lanes = Math.max(1, Math.min(wanted.length, Math.floor(parallel) || 1))
    await Promise.all(Array.from({ length: lanes }, lane))
    return results
  }

  const shown = (value) => {
    try {
      return typeof value === 'string' ? value : stringify(value) ?? text(value)
    } catch {
      return '[unprintable]'
    }
  }
  const give = (name, value) => defineProperty(globalThis, name, { value, writable: false, configurable: false })
  give('call', call)
  give('tryCall', tryCall)
  give('callMany', callMany)
  give('keep', keep)
  give('ToolError', ToolError)
  give('console', Object.freeze({ log: (...values) => print(values.map(shown).join(' ')) }))

  // Text that was not reviewed must not run.
  for (const kind of [function () {}, async function () {}, function* () {}, async function* () {}])
    defineProperty(getPrototypeOf(kind), 'constructor', { value: undefined, writable: false, configurable: false })
  for (const name of ['eval', 'Function', 'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'performance'])
    delete globalThis[name]

  // The time of the start, and no clock: a run depends on its input and its calls only.
  const RealDate = Date
  const now = () => startedMs
  const FixedDate = new Proxy(RealDate, {
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [startedMs] : args, made),
    apply: () => new RealDate(startedMs).toString(),
  })
  defineProperty(RealDate, 'now', { value: now, writable: false, configurable: false })
  defineProperty(RealDate.prototype, 'constructor', { value: FixedDate, writable: false, configurable: false })
  give('Date', FixedDate)

  const failure = (error) => {
    try {
      const known = typeof error === 'object' && error !== null
      const callId = known ? origins.get(error) : undefined
      const message = known && typeof error.message === 'string' ? text(error.name) + ': ' + error.message : shown(error)
      const at = known && typeof error.stack === 'string' ? /script\\.ts:(\\d+)/.exec(error.stack) : null
      return stringify({ message: message.slice(0, 2000) + (at ? ' (line ' + at[1] + ')' : ''), callId })
    } catch {
      return stringify({ message: 'The script threw a value that cannot be read' })
    }
  }

  return {
    deliver(json) {
      const answers = parse(json)
      for (let at = 0; at < answers.length; at++) {
        const id = answers[at][0]
        const answer = answers[at][1]
        const settle = waiting.get(id)
        waiting.delete(id)
        // The gateway sends the value only where the text is not its JSON.
        if (!hasOwn(answer, 'json')) try { answer.json = parse(answer.text) } catch {}
        origins.set(answer, id)
        settle(answer)
      }
    },
    start(main, input, done, failed) {
      if (typeof main !== 'function') return failed(stringify({ message: 'The script has no default export that is a function' }))
      const end = async () => {
        try {
          const value = await main(parse(input))
          // An answer that is passed on is that of its tool, unchanged.
          const from = typeof value === 'object' && value !== null ? origins.get(value) : undefined
          if (from !== undefined) return done('null', from)
          const json = stringify(value === undefined ? null : value)
          if (json === undefined) throw new TypeError('The result of a script is JSON')
          done(json, 0)
        } catch (error) {
          failed(failure(error))
        }
      }
      end()
    },
  }
}`
