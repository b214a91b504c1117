// Kept results: the outline, the queries, and that only the handle decrypts one.
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../text/exact-json.ts'
import { type ExportFormat, exported } from './export.ts'
import { outline } from './outline.ts'
import { found, foundText, pointed, type ResultQuery } from './query.ts'
import { QueryError } from './query-error.ts'
import { newHandle, opened, sealed } from './seal.ts'
import { valueOf } from './value.ts'

const ask = (value: unknown, query: Partial<ResultQuery> = {}): unknown =>
  found(value, { path: '', where: [], offset: 0, limit: 20, ...query })
const rowsOf = (value: unknown, query: Partial<ResultQuery>): unknown => (ask(value, query) as { rows: unknown }).rows // of a list

describe('an outline', () => {
  it.each<[string, unknown, string]>([
    ['a list of records', [{ a: 1 }, { a: 2.5, b: 'xyz' }], 'list of 2 × {a: number 1–2.5, b?: text of up to 3}'],
    ['several kinds', [1, 'a', null, true], 'list of 4 × integer 1 or text of up to 1 or boolean or null'],
    ['an empty list', { a: [] }, '{a: list of 0}'],
    ['exact numbers', parseExact('[12345678901234567890]'), 'list of 1 × integer 12345678901234567000'],
    ['names that are no words', { 'a b': 1 }, '{"a b": integer 1}'],
    ['depth', [[[[[[[1]]]]]]], 'list of 1 × list of 1 × list of 1 × list of 1 × list of 1 × list of 1 × more, deeper'],
  ])('of %s', (_what, value, text) => {
    expect(outline(value)).toBe(text)
  })

  it('names so many fields and counts the others', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, at]))
    expect(outline(many)).toMatch(/f39: integer 39, and 10 more\}$/)
  })
})

describe('a question', () => {
  const pets = [
    { id: 1, name: 'Rex', tags: ['dog', 'old'], owner: { city: 'Bern' } },
    { id: 2, name: 'Mia', tags: ['cat'], owner: null },
    { id: 3, name: 'rey', tags: [], price: 12.5 },
  ]
  const ids = (query: Partial<ResultQuery>): unknown => (rowsOf(pets, query) as { id: number }[]).map(({ id }) => id) // of pets

  it.each<[ResultQuery['where'][number], readonly number[]]>([
    [{ field: 'id', op: 'eq', value: 2 }, [2]],
    [{ field: 'id', op: 'ne', value: 2 }, [1, 3]],
    [{ field: 'id', op: 'ge', value: 2 }, [2, 3]],
    [{ field: 'id', op: 'lt', value: 2 }, [1]],
    [{ field: 'id', op: 'le', value: 'b' }, []],
    [{ field: 'name', op: 'gt', value: 'N' }, [1, 3]],
    [{ field: 'name', op: 'contains', value: 'RE' }, [1, 3]],
    [{ field: 'tags', op: 'contains', value: 'cat' }, [2]],
    [{ field: 'owner.city', op: 'exists' }, [1]],
    [{ field: 'owner.city', op: 'exists', value: false }, [2, 3]],
    [{ field: 'price', op: 'eq', value: null }, [1, 2]],
  ])('about entries of which %j holds', (where, expected) => {
    expect(ids({ where: [where] })).toEqual(expected)
  })

  it('sorts numbers and texts, and what has neither last', () => {
    expect(ids({ sort: '-id' })).toEqual([3, 2, 1])
    expect(ids({ sort: 'name' })).toEqual([2, 1, 3])
    expect(ids({ sort: 'price' })).toEqual([3, 1, 2])
    expect(ids({ sort: '-price' })).toEqual([3, 1, 2])
  })

  it('selects, counts, groups and adds up', () => {
    expect(rowsOf(pets, { select: ['owner.city', 'id'], limit: 2 })).toEqual([
      { 'owner.city': 'Bern', id: 1 },
      { id: 2 },
    ])
    expect(rowsOf(pets, { sum: 'price' })).toEqual([{ count: 3, sum: 12.5, min: 12.5, max: 12.5 }])
    expect(rowsOf(pets, { group: 'owner.city' })).toEqual([
      { 'owner.city': null, count: 2 },
      { 'owner.city': 'Bern', count: 1 },
    ])
    expect(rowsOf(['a', 'b', 'a'], { group: '', where: [{ field: '', op: 'eq', value: 'a' }] })).toEqual([
      { '': 'a', count: 2 },
    ])
    expect(ask(pets, { offset: 2, limit: 5 })).toMatchObject({ total: 3, offset: 2, rows: [{ id: 3 }] })
  })

  it('about a place that does not exist names the one before it', () => {
    expect(() => ask({ a: { b: 1 } }, { path: 'a.c.d' })).toThrow(
      new QueryError('"a" has no "c"; it holds {b: integer 1}'),
    )
    expect(() => ask({ a: 1 }, { sort: 'x' })).toThrow(/The result is no list/)
    expect(() => pointed({ 'a/b': { '~': 1 } }, '/a~1b/c')).toThrow(/has nothing at/)
    expect(pointed({ 'a/b': { '~': 1 } }, '/a~1b/~0')).toBe(1)
  })

  it('reaches no prototype', () => {
    for (const path of ['__proto__', 'constructor', 'a.constructor', 'list.length'])
      expect(() => ask({ a: {}, list: [] }, { path })).toThrow(QueryError)
  })

  it('has an answer within its bytes, for every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 256, max: 2_000 }), fc.nat(3), (value, most, offset) => {
        const text = foundText(found(value, { path: '', where: [], offset, limit: 20 }), most)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most)
        expect(typeof JSON.parse(text)).toBe('object')
      }),
    )
  })
})

describe('what is stored', () => {
  it('is opened by its handle and by no other, and not when a byte of it has changed', () => {
    const handle = newHandle()
    for (const size of [0, 1, 192 * 1024, 500_000]) {
      const bytes = Buffer.alloc(size, 'secret text ')
      const portions = sealed(handle, bytes)
      expect(opened(handle, portions).equals(bytes)).toBe(true)
      expect(() => opened(newHandle(), portions)).toThrow()
      const [first = ''] = portions
      const changed = `${first.slice(0, 4)}${first[4] === 'A' ? 'B' : 'A'}${first.slice(5)}`
      expect(() => opened(handle, [changed, ...portions.slice(1)])).toThrow()
      if (portions.length > 1) expect(() => opened(handle, portions.toReversed())).toThrow()
    }
  })
})

it('the data of an answer is its structure, its JSON or its lines', () => {
  const text = (...texts: string[]) => ({ content: texts.map((each) => ({ type: 'text', text: each })) })
  expect(valueOf({ ...text('x'), structuredContent: { a: 1 } })).toEqual({ a: 1 })
  expect(valueOf(text('[1, 2]'))).toEqual([1, 2])
  expect(valueOf(text('"just text"', 'two'))).toEqual(['"just text"', 'two'])
  expect(valueOf({ content: [{ type: 'image', data: '' }] })).toBeUndefined()
})

describe('an export', () => {
  const rows = [
    { id: 1, name: 'a,"b"', at: { city: 'Bern' }, tags: ['x'], ok: true },
    { id: 2.5, name: '=cmd()', at: null, more: parseExact('12345678901234567890') },
  ]
  const fileOf = (format: ExportFormat, path = 'items'): Buffer =>
    Buffer.from(exported({ items: rows }, { path }, format), 'base64')

  it('is CSV whose cells are no formulas', () => {
    expect(fileOf('csv').toString().split('\r\n')).toEqual([
      'id,name,at.city,tags,ok,at,more',
      '1,"a,""b""",Bern,"[""x""]",true,,',
      "2.5,'=cmd(),,,,,12345678901234567890",
      '',
    ])
  })

  it('is a line of JSON for each entry', () => {
    const lines = fileOf('ndjson').toString().trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2.5])
  })

  it('is Parquet that another library reads', async () => {
    const bytes = fileOf('parquet')
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    const read = await parquetReadObjects({ file: file as ArrayBuffer }) // of a Buffer
    expect(read).toMatchObject([
      { id: 1, name: 'a,"b"', 'at.city': 'Bern', ok: true },
      { id: 2.5, name: '=cmd()', 'at.city': null, more: '12345678901234567890' },
    ])
  })

  it('of a place that does not exist is refused, and a value is a list of one', () => {
    expect(() => exported({ a: 1 }, { path: 'b' }, 'csv')).toThrow(QueryError)
    expect(fileOf('csv', 'items.0.id').toString()).toBe('value\r\n1\r\n')
  })
})
