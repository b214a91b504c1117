// A preview says what a tool costs and what clients will stumble over, and is silent about a good one.
import { expect, it } from 'vitest'
import { previewTool } from './preview.ts'
import type { DiscoveredTool } from './tool.ts'

const tool: DiscoveredTool = {
  name: 'get_user',
  sourceName: 'get_user',
  description: 'One user',
  inputSchema: { type: 'object', properties: { id: { type: ['string', 'null'], description: 'Which é' } } },
  places: {},
}

it('measures bytes and estimates tokens', () => {
  const { schemaBytes, estTokens, lint } = previewTool(tool)
  expect(schemaBytes).toBe(Buffer.byteLength(JSON.stringify(tool.inputSchema)))
  expect(estTokens).toBeGreaterThan(schemaBytes / 5)
  expect(lint).toEqual([])
})

it.each([
  ['a long name', { name: 'n'.repeat(65) }, /short form/],
  ['no description', { description: 'GET /users' }, /no description/],
  ['deprecation', { deprecated: true }, /deprecated/],
  ['an argument some clients refuse', { inputSchema: { properties: { 'ids[]': { description: 'x' } } } }, /ids\[\]/],
  ['arguments without a description', { inputSchema: { properties: { a: {} } } }, /No argument has a description/],
  [
    'many arguments',
    {
      inputSchema: {
        properties: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`a${n}`, { description: 'x' }])),
      },
    },
    /21 arguments/,
  ],
  [
    'features',
    { inputSchema: { properties: { oneOf: { description: 'x', oneOf: [{ type: ['string', 'number'] }] } } } },
    /oneOf, several types/,
  ],
  ['size', { inputSchema: { description: 'x'.repeat(20_000) } }, /20 KiB/],
])('warns of %s', (_, more, hint) => {
  expect(previewTool({ ...tool, ...more }).lint.join('\n')).toMatch(hint)
})
