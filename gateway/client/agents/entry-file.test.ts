// Entries in files of every style: what is not ours keeps each of its bytes, and what cannot be read is left alone.
import fc from 'fast-check'
import { parse as parseJsonc } from 'jsonc-parser'
import { parse as parseToml, stringify } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { type Place, putEntry, readEntries, removeEntry } from './entry-file.ts'

const JSON_PLACE: Place = { format: 'json', container: 'mcpServers', name: 'gantry-dev' }
const TOML_PLACE: Place = { format: 'toml', container: 'mcp_servers', name: 'gantry-dev' }
const ENTRY = { type: 'http', url: 'http://127.0.0.1:8790/mcp-custom/dev', headers: { Authorization: 'Bearer k' } }
const FLAT = { url: 'http://127.0.0.1:8790/mcp-custom/dev', http_headers: { Authorization: 'Bearer k' } }

describe('an entry in a JSON file', () => {
  it.each([
    ['no file', null, '{\n  "mcpServers": {\n    "gantry-dev": {}\n  }\n}\n'],
    ['an empty object', '{}', '{\n  "mcpServers": {\n    "gantry-dev": {}\n  }\n}'],
    [
      'comments after the last entry',
      '{\n\t// mine\n\t"mcpServers": {\n\t\t"a": {} // keep\n\t\t/* and this */\n\t}\n}\n',
      '{\n\t// mine\n\t"mcpServers": {\n\t\t"a": {}, // keep\n\t\t/* and this */\n\t\t"gantry-dev": {}\n\t}\n}\n',
    ],
    [
      'a trailing comma',
      '{ "mcpServers": {\n  "a": 1,\n } }',
      '{ "mcpServers": {\n  "a": 1,\n  "gantry-dev": {},\n } }',
    ],
    ['one line', '{"x":[1],"mcpServers":{"a":1}}', '{"x":[1],"mcpServers":{"a":1,"gantry-dev":{}}}'],
    [
      'line ends of Windows and a byte order mark',
      '\uFEFF{\r\n    "mcpServers": {\r\n        "a": 1\r\n    }\r\n}\r\n',
      '\uFEFF{\r\n    "mcpServers": {\r\n        "a": 1,\r\n        "gantry-dev": {}\r\n    }\r\n}\r\n',
    ],
  ])('is added to %s', (_what, before, after) => expect(putEntry(before, JSON_PLACE, {})).toBe(after))

  it.each([
    ['half of it', '{"mcpServers": {'],
    ['a list', '[]'],
    ['a comment and nothing else', '// later'],
    ['servers that are no object', '{"mcpServers": []}'],
    ['servers twice', '{"mcpServers": {}, "mcpServers": {}}'],
    ['our name twice', '{"mcpServers": {"gantry-dev": 1, "gantry-dev": 2}}'],
  ])('is refused for %s', (_what, text) => {
    expect(() => putEntry(text, JSON_PLACE, ENTRY)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }))
  })

  const value = fc.jsonValue({ maxDepth: 2 })
  const names = fc.string({ maxLength: 6 }).filter((name) => name !== 'gantry-dev')
  const servers = fc.dictionary(names, value, { maxKeys: 4 })
  const indent = fc.constantFrom('', '  ', '    ', '\t')

  it('comes and goes without a trace in the rest of the file', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          names.filter((n) => n !== 'mcpServers'),
          value,
          { maxKeys: 3 },
        ),
        servers,
        indent,
        fc.boolean(),
        (rest, held, unit, windows) => {
          fc.pre(Object.keys(held).length > 0)
          const text = JSON.stringify({ ...rest, mcpServers: held }, null, unit)
          const before = windows ? text.replaceAll('\n', '\r\n') : text
          const there = putEntry(before, JSON_PLACE, ENTRY)
          expect(readEntries(there, 'json', 'mcpServers')['gantry-dev']).toEqual(ENTRY)
          const moved = putEntry(there, JSON_PLACE, { ...ENTRY, url: 'http://127.0.0.1:1/mcp-custom/dev' })
          expect(removeEntry(moved, JSON_PLACE)).toBe(before)
          expect(removeEntry(there, JSON_PLACE)).toBe(before)
        },
      ),
    )
  })

  it('keeps every comment, wherever it stands', () => {
    const trivia = fc.constantFrom('', ' ', '\n', ' // note, with "quotes" {\n', ' /* a , b */ ', '\n\t')
    fc.assert(
      fc.property(fc.array(trivia, { minLength: 9, maxLength: 9 }), fc.boolean(), (t, trailing) => {
        const before = `${t[0]}{${t[1]}"mcpServers"${t[2]}:${t[3]}{${t[4]}"a"${t[5]}:${t[6]}1${t[7]}${trailing ? ',' : ''}${t[8]}}}`
        const there = putEntry(before, JSON_PLACE, ENTRY)
        expect(parseJsonc(there)).toEqual({ mcpServers: { a: 1, 'gantry-dev': ENTRY } })
        const after = removeEntry(there, JSON_PLACE)
        expect(parseJsonc(after)).toEqual({ mcpServers: { a: 1 } })
        for (const comment of before.match(/\/\/[^\n]*\n|\/\*.*?\*\//g) ?? []) expect(after).toContain(comment)
      }),
    )
  })

  it('that stands first, between and last is taken away alone', () => {
    const all = '{\n  "mcpServers": {\n    "gantry-dev": 1, // ours?\n    "b": 2\n  }\n}'
    expect(removeEntry(all, JSON_PLACE)).toBe('{\n  "mcpServers": { // ours?\n    "b": 2\n  }\n}')
    expect(removeEntry('{"mcpServers":{"a":1,"gantry-dev":2,"b":3}}', JSON_PLACE)).toBe('{"mcpServers":{"a":1,"b":3}}')
    expect(removeEntry('{"mcpServers":{"gantry-dev":2}}', JSON_PLACE)).toBe('{"mcpServers":{}}')
  })
})

describe('an entry in a TOML file', () => {
  const before = [
    '# my codex',
    'model = "x" # inline',
    'multi = """',
    '[mcp_servers.gantry-dev]',
    '"""',
    "path = 'C:\\[odd]'",
    'list = [ # of things',
    '  "[mcp_servers.gantry-dev]",',
    ']',
    '',
    '[mcp_servers.other]',
    'command = "npx"',
    'env = { A = "]" }',
    '',
    '# the last word',
    '[tui]',
    'theme = "dark"',
    '',
  ].join('\n')

  it('is a table at the end, and leaves the file unchanged', () => {
    const there = putEntry(before, TOML_PLACE, FLAT)
    expect(there).toBe(
      `${before}\n[mcp_servers.gantry-dev]\nurl = "http://127.0.0.1:8790/mcp-custom/dev"\nhttp_headers = { Authorization = "Bearer k" }\n`,
    )
    expect(removeEntry(there, TOML_PLACE)).toBe(before)
    const windows = before.replaceAll('\n', '\r\n')
    expect(removeEntry(putEntry(windows, TOML_PLACE, FLAT), TOML_PLACE)).toBe(windows)
    expect(putEntry(null, TOML_PLACE, FLAT).startsWith('[mcp_servers.gantry-dev]\n')).toBe(true)
  })

  it('is taken away in the form a person gave it, with its sub-tables and without the comments of others', () => {
    const own =
      '[mcp_servers."gantry-dev"]\nurl = "u"\n\n[mcp_servers.gantry-dev.http_headers]\nA = "b"\n\n# of tui\n[tui]\nx = 1\n'
    expect(removeEntry(own, TOML_PLACE)).toBe('\n# of tui\n[tui]\nx = 1\n')
    expect(removeEntry('[mcp_servers]\ngantry-dev = { url = "u" }\nb.url = "v"\n', TOML_PLACE)).toBe(
      '[mcp_servers]\nb.url = "v"\n',
    )
  })

  it.each([
    ['a broken line', 'model = \n'],
    ['an open string', 'model = "x\n'],
    ['servers that are no table', 'mcp_servers = 1\n'],
    ['servers in one line, which no table can join', 'mcp_servers = { a = { url = "u" } }\n'],
  ])('is refused for %s', (_what, text) => {
    expect(() => putEntry(text, TOML_PLACE, FLAT)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }))
  })

  it('comes and goes without a trace in the rest of the file', () => {
    const key = fc.string({ maxLength: 5 }).filter((name) => name !== 'gantry-dev' && name !== '__proto__')
    const scalar = fc.oneof(fc.string({ maxLength: 8 }), fc.boolean(), fc.integer(), fc.constant('"""\n[a]\n# b'))
    const table = fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), { maxKeys: 4 })
    fc.assert(
      fc.property(
        fc.dictionary(key, table, { maxKeys: 3 }),
        fc.dictionary(key, table, { maxKeys: 3 }),
        fc.boolean(),
        (rest, held, windows) => {
          const text = stringify({ ...rest, mcp_servers: held })
          const whole = text.endsWith('\n') || text === '' ? text : `${text}\n`
          const before = windows ? whole.replaceAll('\n', '\r\n') : whole
          const there = putEntry(before, TOML_PLACE, FLAT)
          expect(there.startsWith(before)).toBe(true)
          expect(parseToml(there)).toMatchObject({ mcp_servers: { 'gantry-dev': FLAT } })
          expect(removeEntry(there, TOML_PLACE)).toBe(before)
        },
      ),
    )
  })
})
