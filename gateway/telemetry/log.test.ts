// What a log line contains, what it never contains, and that logging never throws.
import { describe, expect, it } from 'vitest'
import { createLog, type LogLevel } from './log.ts'

const NOW = Date.UTC(2026, 0, 31, 9, 15)

function capture(format: 'json' | 'text' = 'json', level: LogLevel = 'trace') {
  const lines: string[] = []
  const log = createLog({ format, level, write: (line) => lines.push(line), clock: { now: () => NOW } })
  const records = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { log, lines, records, last: () => records().at(-1) }
}

const KEY = `mcp_${'Ab3-_'.repeat(9).slice(0, 43)}`
const LINK = `gil_${'Zz9-_'.repeat(9).slice(0, 43)}`
const JWT = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl`

describe('secrets', () => {
  it.each([
    `Authorization: Bearer hunter2-hunter2`,
    `basic aHVudGVyMjpodW50ZXIy`,
    `key ${KEY} was refused`,
    `GET /install/${LINK}`,
    `cookie __Host-gantry_session=hunter2; __Host-gantry_csrf=hunter2`,
    `cannot reach https://user:hunter2@host/path`,
    `GET https://host/hook?team=a&token=hunter2&x=1`,
    `bad token ${JWT}`,
    '-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----',
  ])('masks the look of a secret in %j, in the message, a field, an error and a bound field', (text) => {
    const { log, lines } = capture()
    log.info(text)
    log.info('field', { note: text, deep: { list: [text] } })
    log.error('error', { err: new Error(text, { cause: new Error(text) }) })
    log.child({ note: text }).info('bound')
    for (const line of lines) {
      expect(line).toContain('***')
      for (const secret of ['hunter2', 'aHVudGVy', KEY.slice(4), LINK.slice(4), JWT.slice(-9)])
        expect(line).not.toContain(secret)
    }
    expect(lines).toHaveLength(4)
  })

  it.each([
    'password',
    'newPassword',
    'client_secret',
    'X-KMS-Token',
    'Authorization',
    'set-cookie',
    'apiKey',
    'csrf',
    'api_key',
  ])('masks every value of a field called %s [ct.16.kms-token-hidden]', (name) => {
    const { log, lines } = capture()
    log.info('it', { [name]: 'hunter2', deep: { [name]: ['hunter2'] } })
    log.info('it', { map: new Map([['headers', { [name]: { raw: 'hunter2' } }]]) })
    expect(lines.join('')).not.toContain('hunter2')
  })

  it('keeps names that only look similar', () => {
    const { log, last } = capture()
    const fields = { estTokens: 12, keyId: 7, keyPrefix: 'mcp_abcd', passwordSet: true, token: null }
    log.info('mcp_breaker_state_transitions_total of mcp_proxy_request_duration_seconds', fields)
    expect(last()).toMatchObject(fields)
    expect(last()?.['msg']).toBe('mcp_breaker_state_transitions_total of mcp_proxy_request_duration_seconds')
  })

  it('logs only name, message, code and stack of an error', () => {
    const { log, lines, last } = capture()
    const error = Object.assign(new TypeError('boom'), {
      code: 'E_BOOM',
      body: 'request body',
      request: { body: 'request body' },
    })
    log.error('failed', { err: error })
    expect(last()?.['err']).toMatchObject({ name: 'TypeError', message: 'boom', code: 'E_BOOM' })
    expect(lines[0]).toContain('log.test.ts')
    expect(lines[0]).not.toContain('request body')
  })
})

describe('robustness', () => {
  it('never throws for any value', () => {
    const { log, lines, records } = capture()
    const circular: Record<string, unknown> = {}
    for (let index = 0; index < 60; index += 1) circular[`self${index}`] = [circular, circular]
    const hostile = {
      get trap(): string {
        throw new Error('trap')
      },
    }
    const fields = [
      circular,
      hostile,
      { big: 10n, none: undefined, odd: Number.NaN, symbol: Symbol('s'), call: () => 1 },
      { bytes: new Uint8Array(9), when: new Date(Number.NaN), set: new Set([1]), url: new URL('https://host/') },
      { lone: '\ud800', long: 'x'.repeat(100_000), many: Array.from({ length: 1000 }, () => 'y') },
      JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>,
    ]
    for (const one of fields) log.info('given', one)
    expect(lines).toHaveLength(fields.length)
    for (const record of records()) expect(record).toMatchObject({ level: 'info', msg: 'given' })
    for (const line of lines) expect(line.length).toBeLessThan(20_000)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('survives a throwing sink', () => {
    const log = createLog({
      format: 'json',
      level: 'info',
      write: () => {
        throw new Error('disk full')
      },
    })
    expect(() => log.error('x')).not.toThrow()
  })

  it('cannot be made to forge a second record (security case HI-07)', () => {
    for (const format of ['json', 'text'] as const) {
      const { log, lines } = capture(format)
      log.info('a\n{"level":"info","msg":"forged"}', { 'na\nme': 'b\r\nforged' })
      expect(lines).toHaveLength(1)
      expect(lines[0]?.trimEnd().split(/[\r\n]/)).toHaveLength(1)
    }
  })

  it('protects time, level and msg [ct.3.log-lines]', () => {
    const { log, last } = capture()
    log.warn('real', { time: 'x', level: 'y', msg: 'z' })
    expect(last()).toMatchObject({ time: '2026-01-31T09:15:00.000Z', level: 'warn', msg: 'real', field_msg: 'z' })
  })
})

describe('records', () => {
  it('carry bound fields, the nearest binding wins [ct.3.log-lines]', () => {
    const { log, last } = capture()
    log.child({ request_id: 'r1', client: 'a' }).child({ client: 'b' }).info('done', { ms: 3 })
    expect(last()).toEqual({
      time: '2026-01-31T09:15:00.000Z',
      level: 'info',
      msg: 'done',
      request_id: 'r1',
      client: 'b',
      ms: 3,
    })
  })

  it.each<[LogLevel, number]>([
    ['trace', 4],
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
  ])('are written at level %s and above: %i of four [ct.17.effect.log_level]', (level, written) => {
    const { log, lines } = capture('json', level)
    log.debug('d')
    log.info('i')
    log.warn('w')
    log.error('e')
    expect(lines).toHaveLength(written)
  })

  it('are readable as text, with the stack below the record [gw.setting.log_format]', () => {
    const { log, lines } = capture('text')
    log.error('failed', { client: 'petstore', ms: 3, err: new Error('boom') })
    const [head, first, second] = lines[0]?.split('\n') ?? []
    expect(head).toBe('2026-01-31T09:15:00.000Z ERROR failed client="petstore" ms=3')
    expect(first).toBe('    Error: boom')
    expect(second).toMatch(/^ {8}at /)
  })
})
