// What is typed of a tool's listing becomes exactly that change; what stands for a model is what is typed.
import { describe, expect, it } from 'vitest'
import { listingChangeOf, listingOf } from './listing-draft.ts'
import { argumentsOf, asTold } from './tool-arguments.ts'

const tool = {
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'integer', description: 'Number of the pet' }, deep: { type: ['string', 'null'] } },
    required: ['id'],
  },
  paramLocations: { id: 'path' },
  config: {},
  overrides: {
    title: 'Pet',
    params: { id: { description: 'Which pet' }, gone: { description: 'Of an argument that was dropped' } },
    annotations: { destructiveHint: true },
  },
}
const before = listingOf(tool)

describe('the listing of a tool', () => {
  it('names a wrong alias, a long title and a long word on an argument at their fields', () => {
    const wrong = { ...before, alias: 'two words', title: 't'.repeat(81), params: { id: 'd'.repeat(2049) } }
    expect(Object.keys(listingChangeOf(before, wrong).problems)).toEqual([
      'overrides.displayName',
      'overrides.title',
      'overrides.params.id.description',
    ])
  })

  it('has a field for each argument, and for what is kept of one that was dropped', () => {
    expect(before).toEqual({
      alias: '',
      title: 'Pet',
      description: '',
      params: { id: 'Which pet', deep: '', gone: 'Of an argument that was dropped' },
      hints: { readOnlyHint: 'own', destructiveHint: 'yes', idempotentHint: 'own', openWorldHint: 'own' },
      outputSchema: false,
    })
  })

  it('sends what changed: arguments and hints whole, and nothing of either where all is the source’s', () => {
    expect(listingChangeOf(before, before)).toEqual({ patch: {}, problems: {} })
    const deep = { ...before, title: '', params: { ...before.params, deep: 'How deep' } }
    expect(listingChangeOf(before, deep).patch).toEqual({
      overrides: {
        title: null,
        params: {
          id: { description: 'Which pet' },
          deep: { description: 'How deep' },
          gone: { description: 'Of an argument that was dropped' },
        },
      },
    })
    const hints = { ...before.hints, destructiveHint: 'own', readOnlyHint: 'no' } as const
    expect(listingChangeOf(before, { ...before, hints }).patch).toEqual({
      overrides: { annotations: { readOnlyHint: false } },
    })
    const plain = { ...listingOf({ ...tool, overrides: null }), alias: before.alias }
    expect(listingChangeOf(before, plain).patch).toEqual({
      overrides: { title: null, params: null, annotations: null },
    })
  })

  it('sends the listing of the output schema only where it changed', () => {
    expect(listingChangeOf(before, { ...before, outputSchema: true }).patch).toEqual({ listOutputSchema: true })
    const listed = listingOf({ ...tool, config: { listOutputSchema: true } })
    expect(listingChangeOf(listed, { ...listed, outputSchema: false }).patch).toEqual({ listOutputSchema: null })
  })

  it('tells a model the word that stands here, and keeps the source’s', () => {
    expect(argumentsOf(asTold(tool)).map(({ name, description }) => [name, description])).toEqual([
      ['id', 'Which pet'],
      ['deep', ''],
    ])
    expect(argumentsOf(tool)[0]).toEqual({
      name: 'id',
      type: 'integer',
      place: 'path',
      required: true,
      description: 'Number of the pet',
    })
  })
})
