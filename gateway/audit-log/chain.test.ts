import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuditEntry } from '#contract'
import { aDatabase } from '../storage/database.fixture.ts'
import { AT, anEvent, append, independentlyValid } from './audit.fixture.ts'
import { canonicalDetail, entryHash } from './canonical.ts'
import { appendAudit, entryOf } from './chain.ts'
import { listAudit } from './list.ts'
import { verifyAudit } from './verify.ts'

const IS_LONG = process.env.GANTRY_FUZZ_RUNS !== undefined || process.env.GANTRY_FUZZ_MINUTES !== undefined

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\u0000',
    'a\u0000b',
    '\ud800x',
    'x\udfff',
    '\u2028\u2029',
    'e\u0301',
    '"\\\b\f\n\r\t\u007f',
    '__proto__',
    '10',
    '9',
  ),
  fc
    .array(fc.constantFrom('\ud800', '\udc00', '\u0000', 'é', '𝄞', '\ufffd'), { maxLength: 8 })
    .map((parts) => parts.join('')),
)
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    nasty,
    fc.constantFrom(
      null,
      undefined,
      true,
      false,
      0,
      -0,
      1.5,
      -1e300,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      12n,
    ),
    fc.maxSafeInteger(),
    fc.date({ noInvalidDate: false }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(nasty, tie('value'), { maxKeys: 4 }),
  ),
}))
const detail = fc.option(fc.dictionary(nasty, anything, { maxKeys: 5, noNullPrototype: true }), { nil: null })

describe('the hash of an entry', () => {
  it('is the one the contract spells out [gw.audit.hash ct.13.1.hash]', () => {
    const entry = {
      prev_hash: '',
      actor: 'ada',
      action: 'user.create',
      target: 'bob',
      created_at: '2026-01-31T09:15:00.000Z',
    }
    // printf '%s' '["","ada","user.create","bob",{"a":[1,"x",null],"b":true},"2026-01-31T09:15:00.000Z"]' | sha256sum
    const golden = '2d00bb0412a75803cfed4d3e80b45f5fbe7110917fa7f3e39e10689c67a5bafb'
    expect(entryHash({ ...entry, detail: canonicalDetail({ b: true, a: [1, 'x', null] }) })).toBe(golden)
  })

  it('distinguishes null from an empty string, and keeps field boundaries [gw.audit.no-collision]', () => {
    const entry = { prev_hash: '', actor: 'a', action: 'b', target: 'c', detail: null, created_at: 'd' }
    const others = [
      { ...entry, detail: '""' },
      { ...entry, detail: '{}' },
      { ...entry, actor: 'ab', action: '' },
      { ...entry, actor: 'a","b', action: '' },
    ]
    expect(new Set([entry, ...others].map(entryHash)).size).toBe(5)
  })
})

describe('a detail', () => {
  it('has its keys sorted at every level, those like numbers too [ct.13.1.sorted]', () => {
    expect(canonicalDetail({ b: { d: 1, c: 2 }, 10: 'x', 9: 'y', a: [{ z: 1, y: 2 }] })).toBe(
      '{"10":"x","9":"y","a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}',
    )
  })

  it('holds integers as numbers and every other number as its text', () => {
    const numbers = { a: 1, b: -0, c: 0.1, d: 2 ** 53, e: Number.NaN, f: 5n, g: Number.MAX_SAFE_INTEGER }
    expect(canonicalDetail(numbers)).toBe(
      '{"a":1,"b":0,"c":"0.1","d":"9007199254740992","e":"NaN","f":"5","g":9007199254740991}',
    )
  })

  it('drops undefined values and keeps keys that JSON parsers would drop', () => {
    const given = {
      a: undefined,
      b: [undefined, () => 1],
      c: new Date(0),
      d: new Date(Number.NaN),
      ['__proto__']: { admin: true },
    }
    expect(canonicalDetail(given)).toBe(
      '{"[__proto__]":{"admin":true},"b":[null,null],"c":"1970-01-01T00:00:00.000Z","d":"Invalid Date"}',
    )
  })

  it('has one field per key after keys were made well-formed', () => {
    expect(canonicalDetail({ '\ud800': 1, '\ud801': 2 })).toBe('{"\ufffd":2}')
  })

  it('is cut at the depth limit, also for cycles', () => {
    const circle: Record<string, unknown> = {}
    circle['again'] = circle
    expect(canonicalDetail(circle)).toMatch(/^(\{"again":){31,33}"\[too deep\]"\}+$/)
  })
})

describe('an appended entry', () => {
  it('fails together with the change it records [ct.13.1.together]', async () => {
    const database = await aDatabase()
    const failing = database.write(async (tx) => {
      await tx.insertInto('meta').values({ key: 'a', value: 'b' }).execute()
      await tx.schema.dropTable('audit_log').execute()
      await appendAudit(tx, anEvent(1))
    })
    await expect(failing).rejects.toThrow()
    expect(await database.meta.get('a')).toBeUndefined()
    expect(await append(database, 1)).toHaveLength(1)
  })

  it('leaves no trace when the change it records fails [ct.13.1.together]', async () => {
    const database = await aDatabase()
    await append(database, 2)
    const failing = database.write(async (tx) => {
      await appendAudit(tx, anEvent(3))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await append(database, 1)).toMatchObject([{ id: 3 }])
    expect(await verifyAudit(database, Date)).toMatchObject({ valid: true, checked: 3 })
  })

  it('starts from nothing, numbers without gaps and links to the one before [ct.13.1.first]', async () => {
    const entries = await append(await aDatabase(), 3)
    expect(entries.map(({ id }) => id)).toEqual([1, 2, 3])
    expect(entries.map(({ prev_hash }) => prev_hash)).toEqual(['', entries[0]?.hash, entries[1]?.hash])
    expect(entries[0]?.created_at).toBe(new Date(AT + 1).toISOString())
  })

  it('hashes what the API gives back, for 2,000 nasty actors and targets, in the long mode 10,000 (security cases AU-04, BL-16) [gw.audit.fields ct.13.1.entry ct.13.1.hash ct.19.25.verify]', {
    timeout: 300_000,
  }, async () => {
    const database = await aDatabase(':memory:')
    const property = fc.asyncProperty(nasty, nasty, detail, async (actor, target, detail) => {
      const entry = await database.write((tx) => appendAudit(tx, anEvent(1, { actor, target, detail })))
      const [read] = (await listAudit(database.query, { teamId: null }, { limit: 1 })).items
      const received: unknown = JSON.parse(JSON.stringify(AuditEntry.parse(read)))
      expect(received).toEqual(entry)
      const answer = AuditEntry.parse(received)
      const { prev_hash, actor: who, action, target: what, detail: more, created_at, hash } = answer
      expect(
        entryHash({ prev_hash, actor: who, action, target: what, detail: canonicalDetail(more), created_at }),
      ).toBe(hash)
    })
    await fc.assert(property, { numRuns: IS_LONG ? 5_000 : 1_000 })
    expect(await verifyAudit(database, Date)).toMatchObject({ valid: true })
    const rows = await database.query.selectFrom('audit_log').selectAll().orderBy('id').execute()
    expect(independentlyValid(rows.map((row) => AuditEntry.parse(entryOf(row))))).toBe(rows.length)
  })

  it('accepts a megabyte of text', async () => {
    const database = await aDatabase()
    await append(database, 2, { target: 'x\u0000\ud800'.repeat(350_000) })
    expect(await verifyAudit(database, Date)).toMatchObject({ valid: true, checked: 2 })
  })
})

const python = spawnSync('python3', ['--version']).status === 0
it.skipIf(!python)(
  `is verified by a second implementation (security case AU-05)${python ? '' : ', skipped: no python3'}`,
  async () => {
    const database = await aDatabase()
    await append(database, 20)
    const odd = ['\u0000', '\u2028', 'é', 'e\u0301', '𝄞', '\uffee', '"\\\b\f\n\r\t\u001f\u007f', '\ud800']
    await append(database, 5, {
      actor: odd.join(''),
      detail: Object.fromEntries(odd.map((key, at) => [key, { at, key }])),
    })
    const rows = await database.query.selectFrom('audit_log').selectAll().orderBy('id').execute()
    const script = `
import sys, json, hashlib
key = lambda pair: pair[0].encode('utf-16-be')
def sort(v):
    if isinstance(v, dict): return {k: sort(x) for k, x in sorted(v.items(), key=key)}
    return [sort(x) for x in v] if isinstance(v, list) else v
prev, good = '', 0
for e in json.load(sys.stdin):
    image = json.dumps([e['prev_hash'], e['actor'], e['action'], e['target'], sort(e['detail']), e['created_at']], ensure_ascii=False, separators=(',', ':'))
    good += e['prev_hash'] == prev and hashlib.sha256(image.encode('utf-8')).hexdigest() == e['hash']
    prev = e['hash']
print(good)`
    const second = spawnSync('python3', ['-c', script], { input: JSON.stringify(rows.map(entryOf)), encoding: 'utf8' })
    expect(second.stderr).toBe('')
    expect(Number(second.stdout)).toBe(25)
  },
)
