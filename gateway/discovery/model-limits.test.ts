// Which clients lose which tools, and that the document has every row of the table.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ListedTool, lossesIn, lossesOf, MODEL_LIMITS, MOST_TOOLS } from './model-limits.ts'
import type { JsonSchema } from './tool.ts'

const tool = (given: Partial<ListedTool> = {}): ListedTool => ({
  name: 'get_user',
  description: 'One user',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  ...given,
})
const schema = (given: JsonSchema): Partial<ListedTool> => ({ inputSchema: { type: 'object', ...given } })
const clientsOf = (given: Partial<ListedTool>): string[] => lossesOf(tool(given)).map(({ client }) => client)
const nested = (levels: number): JsonSchema =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } }
const enumOf = (count: number) => ({ enum: Array.from({ length: count }, (_, at) => `v${at}`) })

describe('a tool', () => {
  it('of plain parts is lost by no client', () => {
    expect(clientsOf({})).toEqual([])
    expect(clientsOf(schema({ properties: { e: enumOf(1000) } }))).toEqual([])
    expect(clientsOf({ inputSchema: nested(10) })).toEqual([])
  })

  it.each([
    ['a dot in its name', { name: 'fs.read' }, ['Anthropic API', 'OpenAI API']],
    ['a name that begins with a digit', { name: '1_x' }, ['Gemini API']],
    ['a name of 60 characters', { name: 'n'.repeat(60) }, ['Cursor']],
    ['a long description', { description: 'd'.repeat(1025) }, ['OpenAI API']],
    [
      'an odd key below a list',
      schema({ properties: { l: { items: { properties: { 'a[b]': {} } } } } }),
      ['Anthropic API'],
    ],
    ['alternatives at the top', schema({ anyOf: [{ required: ['id'] }] }), ['Anthropic API', 'OpenAI API']],
    [
      'a reference',
      schema({ properties: { a: { $ref: '#' } } }),
      ['Anthropic API, managed agents', 'Gemini API, `parameters`'],
    ],
    ['11 levels', { inputSchema: nested(11) }, ['OpenAI API, strict']],
    ['1001 enum values', schema({ properties: { a: enumOf(500), b: enumOf(501) } }), ['OpenAI API, strict']],
  ])('with %s is lost by those that reject it', (_, given, clients) => {
    expect(clientsOf(given)).toEqual(clients)
  })
})

it('of a list are counted by client and limit, and a list that is too long is reported', () => {
  const tools = Array.from({ length: 129 }, (_, at) => tool({ name: at < 2 ? `fs.${at}` : `t${at}` }))
  const lines = lossesIn(tools)
  expect(lines[0]).toMatch(/^Anthropic API: a name outside .* Affected: fs\.0 and 1 more\.$/)
  expect(lines.at(-1)).toBe(
    'OpenAI API: a request has at most 128 tools, and this backend has 129. Use a bundle or search_tools.',
  )
})

it('docs/model-limits.md has every row with its source', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/model-limits.md'), 'utf8')
  for (const { client, limit, source } of MODEL_LIMITS) expect(page).toContain(`| ${client} | ${limit} | ${source} |`)
  for (const { client, tools, source } of MOST_TOOLS)
    expect(page).toContain(`| ${client} | more than ${tools} tools in a request | ${source} |`)
})
