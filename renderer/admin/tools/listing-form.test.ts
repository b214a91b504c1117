// A typed listing becomes exactly that change.
import { describe, expect, it } from 'vitest'
import type { ToolDetail } from '#contract'
import { checkedIn, type Draft, draftOf } from '../../ui/form/fields.ts'
import { listingForm, listingOf } from './listing-form.tsx'
import { argumentsOf, asTold } from './tool-arguments.ts'
import { patchOf } from './tool-patch.ts'

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
// The form reads these fields only.
const form = listingForm({ ...tool, kind: 'rest', outputSchema: {} } as unknown as ToolDetail)
const drafted = (of: Pick<ToolDetail, 'overrides' | 'config'>) => draftOf(form.fields, listingOf(of))
const before = drafted(tool)
const changeOf = (from: Draft, to: Draft) => patchOf(form.fields, from, to)

describe('the listing of a tool', () => {
  it('reports an invalid alias, a long title and a long argument text at their fields', () => {
    const wrong = {
      ...before,
      'overrides.displayName': 'two words',
      'overrides.title': 't'.repeat(81),
      'overrides.params': { id: { description: 'd'.repeat(2049) } },
    }
    expect(Object.keys(checkedIn(form, wrong).problems)).toEqual([
      'overrides.displayName',
      'overrides.title',
      'overrides.params',
      'overrides.params.id.description',
    ])
  })

  it('sends changes: arguments and hints as a whole, and null for the source’s own', () => {
    expect(changeOf(before, before)).toEqual({})
    const params = { ...tool.overrides.params, deep: { description: 'How deep' } }
    expect(changeOf(before, { ...before, 'overrides.title': '', 'overrides.params': params })).toEqual({
      overrides: { title: null, params },
    })
    const hints = {
      'overrides.annotations.destructiveHint': '',
      'overrides.annotations.readOnlyHint': 'false',
    }
    expect(changeOf(before, { ...before, ...hints })).toEqual({ overrides: { annotations: { readOnlyHint: false } } })
    expect(changeOf(before, drafted({ ...tool, overrides: null }))).toEqual({
      overrides: { title: null, params: null, annotations: null },
    })
    expect(changeOf(before, { ...before, 'overrides.params': { id: { description: '' } } })).toEqual({
      overrides: { params: null },
    })
  })

  it('sends the output schema setting only if changed', () => {
    expect(changeOf(before, { ...before, listOutputSchema: true })).toEqual({ listOutputSchema: true })
    const listed = drafted({ ...tool, config: { listOutputSchema: true } })
    expect(changeOf(listed, { ...listed, listOutputSchema: false })).toEqual({ listOutputSchema: null })
  })

  it('lists the override, and keeps the source’s text', () => {
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
