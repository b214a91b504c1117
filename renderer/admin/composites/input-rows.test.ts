// An input schema as rows: what rows do not show is kept, and what they cannot show stays JSON.
import { describe, expect, it } from 'vitest'
import { nameProblem, newRow, ofKind, rowsOf, withKeyword, withRows } from './input-rows.ts'

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    q: { type: 'string', description: 'Words', maxLength: 40 },
    order: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: {} },
    any: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['q'],
}
const TEXT = JSON.stringify(SCHEMA)
const rows = rowsOf(TEXT) ?? []

describe('rows of an input schema', () => {
  it('are the schema again, unchanged', () => {
    expect(JSON.parse(withRows(TEXT, rows))).toEqual(SCHEMA)
  })

  it('have the kind a row can edit, and name the keywords it cannot', () => {
    expect(rows.map(({ kind }) => kind)).toEqual(['text', 'choice', 'texts', 'other', 'other'])
    expect(rows.map(({ others }) => others)).toEqual([['maxLength'], [], [], ['properties'], ['anyOf']])
  })

  it('keep their words as another kind, and lose bounds and default', () => {
    const [q, order] = rows
    expect(q && ofKind(q, 'whole').property).toEqual({ type: 'integer', description: 'Words' })
    expect(order && ofKind(order, 'flag').property).toEqual({ type: 'boolean' })
  })

  it('drop an emptied keyword and an empty list of required names', () => {
    const [q] = rows
    const next = q ? [{ ...withKeyword(q, 'description', ''), required: false }] : []
    expect(JSON.parse(withRows(TEXT, next))).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: { q: { type: 'string', maxLength: 40 } },
    })
  })

  it('get names of their own', () => {
    expect(newRow([...rows, newRow(rows)]).name).not.toBe(newRow(rows).name)
    expect(nameProblem('q', ['q'])).toContain('another input')
    for (const wrong of ['', '1', 'a.b', 'a b', 'a}']) expect(nameProblem(wrong, [])).toBeDefined()
    expect(nameProblem('q', ['r'])).toBeUndefined()
  })

  it.each(['no JSON', '[]', '{"properties": []}', '{"properties": {"a": true}}', '{"required": "a"}'])(
    'do not exist for %s',
    (text) => {
      expect(rowsOf(text)).toBeUndefined()
    },
  )
})
