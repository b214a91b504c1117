// JSONPath and SQL over kept results: SQL as a real SQLite answers it, and neither does unbounded work.
import BetterSqlite3 from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseExact } from '../../text/exact-json.ts'
import { jsonPath } from './json-path-syntax.ts'
import { found, placeOf } from './query.ts'
import { QueryError, Work } from './query-error.ts'
import { selectRows } from './sql.ts'

const at = (value: unknown, text: string, work = new Work()): unknown => jsonPath(value, text, work)
const rows = (place: unknown, text: string, work = new Work()): unknown => selectRows(place, text, work)
/** A tenth of what a question may cost. */
const less = (): Work => new Work(5_000_000)

describe('JSONPath', () => {
  // The examples of RFC 9535.
  const store = {
    store: {
      book: [
        { category: 'reference', author: 'Rees', title: 'Sayings', price: 8.95 },
        { category: 'fiction', author: 'Waugh', title: 'Sword', price: 12.99 },
        { category: 'fiction', author: 'Melville', title: 'Moby', isbn: '0-553', price: 8.99 },
        { category: 'fiction', author: 'Tolkien', title: 'Rings', isbn: '0-395', price: 22.99 },
      ],
      bicycle: { color: 'red', price: 399 },
    },
  }
  const { book } = store.store
  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const mixed = {
    a: [3, 5, 1, 2, 4, 6, { b: 'j' }, { b: 'k' }, { b: {} }, { b: 'kilo' }],
    o: { p: 1, q: 2, r: 3, s: 5, t: { u: 6 } },
    e: 'f',
  }
  it.each<[unknown, string, unknown]>([
    [store, '$.store.book[*].author', ['Rees', 'Waugh', 'Melville', 'Tolkien']],
    [store, '$..author', ['Rees', 'Waugh', 'Melville', 'Tolkien']],
    [store, '$.store.*', [book, store.store.bicycle]],
    [store, '$.store..price', [8.95, 12.99, 8.99, 22.99, 399]],
    [store, '$..book[2].author', ['Melville']],
    [store, '$..book[2].publisher', []],
    [store, '$..book[-1]', [book[3]]],
    [store, '$..book[0,1]', [book[0], book[1]]],
    [store, '$..book[:2]', [book[0], book[1]]],
    [store, '$..book[?@.isbn]', [book[2], book[3]]],
    [store, '$..book[?@.price<10].title', ['Sayings', 'Moby']],
    [store, '$.store.book[?@.price < $.store.book[1].price && !(@.isbn)].title', ['Sayings']],
    [letters, '$[1:3]', ['b', 'c']],
    [letters, '$[5:]', ['f', 'g']],
    [letters, '$[1:5:2]', ['b', 'd']],
    [letters, '$[5:1:-2]', ['f', 'd']],
    [letters, '$[::-1]', letters.toReversed()],
    [letters, '$[-9:2]', ['a', 'b']],
    [letters, '$[1:5:0]', []],
    [mixed, "$.a[?@.b == 'kilo']", [{ b: 'kilo' }]],
    [mixed, '$.a[?@>3.5]', [5, 4, 6]],
    [mixed, '$[?@.*]', [mixed.a, mixed.o]],
    [mixed, '$.o[?@<3, ?@<3]', [1, 2, 1, 2]],
    [mixed, '$.a[?@<2 || @.b == "k"]', [1, { b: 'k' }]],
    [mixed, '$.a[?match(@.b, "[jk]")]', [{ b: 'j' }, { b: 'k' }]],
    [mixed, '$.a[?search(@.b, "[jk]")]', [{ b: 'j' }, { b: 'k' }, { b: 'kilo' }]],
    [mixed, '$.o[?@>1 && @<4]', [2, 3]],
    [mixed, '$.o[?@.u || @.x]', [{ u: 6 }]],
    [mixed, '$.a[?@.b == $.x]', [3, 5, 1, 2, 4, 6]],
    [mixed, '$.a[?@ == @].b', ['j', 'k', {}, 'kilo']],
    [{ "it's": { '"': 1 } }, `$['it\\'s']["\\""]`, [1]],
    [[[1, 2], [1], { a: 1 }], '$[?length(@) == 1]', [[1], { a: 1 }]],
    [[{ a: [1, 2] }, { a: [] }], '$[?count(@.a[*]) > 1].a[0]', [1]],
    [[{ a: [7] }], '$[?value(@.a[*]) == 7].a[0]', [7]],
    [parseExact('[12345678901234567890, 1]'), '$[?@ > 2]', parseExact('[12345678901234567890]')],
    [{}, '$.constructor', []],
  ])('of %j: %s', (value, text, expected) => {
    expect(at(value, text)).toEqual(expected)
  })

  it.each(['', 'a', '$.', '$[', '$[?]', '$[01]', '$[?@.a[*] == 1]', '$[?length(@.*) == 1]', '$[?1]', "$['\\x']", '$ '])(
    'that is not a path is refused: %s',
    (text) => expect(() => at({}, text)).toThrow(QueryError),
  )

  it('does no unbounded work, and is not nested without end', () => {
    const deep = Array.from({ length: 40 }).reduce<unknown>((inside) => [inside, inside], 1)
    expect(() => at(deep, '$..*')).toThrow(/too much work/)
    expect(() =>
      at(
        Array.from({ length: 3_000 }, () => 1),
        '$[?$[?$[?@ == 2]]]',
        less(),
      ),
    ).toThrow(/too much work/)
    expect(() => at([1], `$[?${'('.repeat(1_000)}`)).toThrow(QueryError)
    expect(() => at([1], `$${'[?@'.repeat(1_000)}`)).toThrow(QueryError)
    expect(at(['a'.repeat(50_000)], '$[?search(@, "(a+)+b")]')).toEqual([])
  })

  it('selects the list of a question', () => {
    const query = {
      path: '',
      jsonpath: '$..book[*]',
      where: [],
      sort: '-price',
      select: ['title'],
      offset: 0,
      limit: 1,
    }
    expect(found(store, query)).toEqual({ total: 4, offset: 0, rows: [{ title: 'Rings' }] })
  })
})

describe('SQL', () => {
  const items = [
    { id: 1, owner: 'ann', price: 10, at: { city: 'Bern' }, tags: ['a'] },
    { id: 2, owner: 'bob', price: 2.5, at: null },
    { id: 3, owner: 'ann', price: null, ok: true },
    { id: 4, owner: 'Cy', price: 7 },
  ]
  it.each<[string, unknown]>([
    [
      'SELECT owner, sum(price) AS total FROM rows GROUP BY owner ORDER BY total DESC LIMIT 2',
      [
        { owner: 'ann', total: 10 },
        { owner: 'Cy', total: 7 },
      ],
    ],
    ['select count(*), count(price), avg(price) from rows', [{ 'count(*)': 4, 'count(price)': 3, 'avg(price)': 6.5 }]],
    [
      'SELECT id, at.city, tags, ok FROM rows r WHERE r.at.city IS NOT NULL',
      [{ id: 1, 'at.city': 'Bern', tags: ['a'], ok: null }],
    ],
    ['SELECT * FROM rows WHERE ok = TRUE', [items[2]]],
    [
      "SELECT DISTINCT lower(owner) AS o FROM rows WHERE owner LIKE '%n_' OR owner IN ('Cy') ORDER BY 1 -- done",
      [{ o: 'ann' }, { o: 'cy' }],
    ],
    ['SELECT owner, count(*) n FROM rows GROUP BY 1 HAVING n > 1', [{ owner: 'ann', n: 2 }]],
    [
      "SELECT CASE WHEN price >= 7 THEN 'much' ELSE 'little' END AS kind, group_concat(id, '+') ids FROM rows GROUP BY kind ORDER BY kind",
      [
        { kind: 'little', ids: '2+3' },
        { kind: 'much', ids: '1+4' },
      ],
    ],
    ['SELECT id FROM rows ORDER BY price DESC NULLS FIRST, id LIMIT 2 OFFSET 1', [{ id: 1 }, { id: 4 }]],
    ['SELECT count(DISTINCT owner) "n" FROM rows WHERE NOT price BETWEEN 1 AND 5', [{ n: 2 }]],
    ["SELECT max(price, 5) AS p, CAST(price AS TEXT) || '!' AS t FROM rows WHERE id = 2;", [{ p: 5, t: '2.5!' }]],
  ])('%s', (text, expected) => {
    expect(rows(items, text)).toEqual(expected)
  })

  it('selects from a list in the result, and of values that are no records', () => {
    expect(rows({ data: { items } }, 'SELECT id FROM data.items WHERE id > 3')).toEqual([{ id: 4 }])
    expect(rows([3, 1], 'SELECT value * 2 AS twice FROM rows ORDER BY value')).toEqual([{ twice: 2 }, { twice: 6 }])
    expect(rows([], 'SELECT sum(x) AS s, count(*) AS n FROM rows')).toEqual([{ s: null, n: 0 }])
    expect(placeOf({ items }, { path: 'items', sql: 'SELECT id FROM rows LIMIT 1' })).toEqual([{ id: 1 }])
  })

  it.each<[string, RegExp]>([
    ['SELECT ownr FROM rows', /no row has "ownr"; the rows are list of 4/],
    ['SELECT 1 FROM nothing', /nothing is no list/],
    ['SELECT 1 FROM rows, rows', /without joins/],
    ['SELECT 1 FROM rows JOIN rows', /without joins/],
    ['SELECT (SELECT 1) FROM rows', /expected/],
    ['SELECT 1 FROM rows UNION SELECT 2', /the end/],
    ['SELECT 1 FROM rows; SELECT 2 FROM rows', /the end/],
    ['WITH RECURSIVE x AS (SELECT 1) SELECT * FROM x', /SELECT expected/],
    ["ATTACH 'x.db' AS y", /SELECT expected/],
    ['PRAGMA database_list', /SELECT expected/],
    ["SELECT load_extension('x') FROM rows", /no function load_extension/],
    ["SELECT readfile('/etc/passwd') FROM rows", /no function readfile/],
    ['SELECT sum(count(*)) FROM rows', /cannot stand in itself/],
    ['SELECT id FROM rows WHERE count(*) > 1', /cannot stand/],
    ['SELECT count(*) AS n FROM rows GROUP BY n', /no row has "n"/],
    ['SELECT lower() FROM rows', /takes 1 arguments/],
    ['SELECT id FROM rows WHERE id LIKE', /at the end/],
    [`SELECT ${'('.repeat(500)}`, /nested/],
    [`SELECT ${'-'.repeat(1).repeat(3)}`, /expected/],
    [`SELECT ${'NOT '.repeat(500)} 1 FROM rows`, /nested/],
    [`SELECT 1${'+1'.repeat(1_000)} FROM rows`, /shorter/],
  ])('%s is refused', (text, problem) => {
    expect(() => rows(items, text)).toThrow(QueryError)
    expect(() => rows(items, text)).toThrow(problem)
  })

  it('does no unbounded work and makes no unbounded texts', () => {
    const many = Array.from({ length: 400_000 }, (_, id) => id)
    expect(() => rows(many, `SELECT 0${' + value'.repeat(190)} AS x FROM rows`, less())).toThrow(/too much work/)
    expect(() => rows(many, 'SELECT count(*) FROM rows GROUP BY value')).toThrow(/more than 100000 groups/)
    const text = { t: 'ab'.repeat(100_000) }
    expect(() => rows([text], `SELECT ${'replace('.repeat(3)}t${", 'a', 'aaaaaaaaaa')".repeat(3)} FROM rows`)).toThrow(
      /too long/,
    )
    expect(() =>
      rows(
        Array.from({ length: 50 }, () => text),
        "SELECT count(*) FROM rows WHERE t LIKE '%b%b%b%b%b%b%a%c'",
      ),
    ).not.toThrow(/too long/)
  })

  it('answers as SQLite does, for statements and rows of every kind', () => {
    const database = new BetterSqlite3(':memory:')
    onTestFinished(() => void database.close())
    database.exec('CREATE TABLE rows (a, b, c)')
    const cell = fc.oneof(
      fc.constant(null),
      fc.integer({ min: -5, max: 5 }),
      fc.constantFrom('', 'a', 'B', 'ab', '10', '-2x', ' 3'),
    )
    const record = fc.record({ a: cell, b: cell, c: cell })
    const literal = fc.constantFrom('NULL', '0', '1', '-3', "'a'", "'10'", "''", "'B%'")
    const column = fc.constantFrom('a', 'b', 'c')
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 3 },
        column,
        literal,
        fc
          .tuple(
            tie('expression'),
            fc.constantFrom(
              '+',
              '-',
              '*',
              '=',
              '<>',
              '<',
              '<=',
              '>',
              '>=',
              'AND',
              'OR',
              'IS',
              'IS NOT',
              '||',
              'LIKE',
              'NOT LIKE',
            ),
            tie('expression'),
          )
          .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
        fc
          .tuple(tie('expression'), tie('expression'), tie('expression'))
          .map(([a, b, c]) => `(${a} NOT BETWEEN ${b} AND ${c})`),
        fc
          .tuple(tie('expression'), tie('expression'), tie('expression'))
          .map(([a, b, c]) => `CASE WHEN ${a} THEN ${b} ELSE ${c} END`),
        fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([a, b, c]) => `(${a} IN (${b}, ${c}))`),
        fc
          .tuple(
            fc.constantFrom('coalesce', 'max', 'min', 'nullif', 'ifnull', 'instr'),
            tie('expression'),
            tie('expression'),
          )
          .map(([name, a, b]) => `${name}(${a}, ${b})`),
        fc
          // Without abs: of a text it is 0.0 in SQLite, and a number of JSON is 0.
          .tuple(fc.constantFrom('lower', 'upper', 'length', 'trim', 'NOT ', '-'), tie('expression'))
          .map(([name, a]) => `(${name}(${a}))`),
        fc
          .tuple(tie('expression'), fc.integer({ min: -3, max: 3 }), fc.integer({ min: 0, max: 3 }))
          .map(([a, from, length]) => `substr(${a}, ${from}, ${length})`),
      ),
    }))
    const plain = fc
      .tuple(expression, expression, fc.constantFrom('ASC', 'DESC'))
      .map(([what, where, order]) => `SELECT ${what} AS x, a FROM rows WHERE ${where} ORDER BY x ${order}, a, b, c`)
    const sums = fc
      .tuple(expression, expression)
      .map(
        ([what, where]) =>
          `SELECT a, count(*) AS n, count(DISTINCT ${what}) AS d, min(${what}) AS low, max(${what}) AS high, sum(${what}) AS s FROM rows WHERE ${where} GROUP BY a ORDER BY a`,
      )
    const insert = database.prepare('INSERT INTO rows VALUES (?, ?, ?)')
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 8 }), fc.oneof(plain, sums), (list, text) => {
        database.exec('DELETE FROM rows')
        // Numbers of JSON that are whole are whole here as well.
        for (const { a, b, c } of list)
          insert.run(...[a, b, c].map((each) => (typeof each === 'number' ? BigInt(each) : each)))
        expect(rows(list, text)).toEqual(database.prepare(text).all())
      }),
      { numRuns: Number(process.env.GANTRY_FUZZ_RUNS ?? 300) },
    )
  })
})
