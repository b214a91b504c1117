// Results of MCP tools: what is not one is a bad response.
import { describe, expect, it } from 'vitest'
import { toolOutcome } from './tool-result.ts'

const outcomeOf = (value: unknown) => toolOutcome(value, 'upstream', { secrets: [], redact: undefined }, undefined)

describe('a tool result', () => {
  it.each([
    ['null', null],
    ['a list', []],
    ['content that is not a list', { content: {} }],
    ['a block that is not a record', { content: ['text'] }],
    ['a block without a type', { content: [{ text: 'x' }] }],
    ['a block whose type is not a text', { content: [{ type: 1 }] }],
  ])('is a bad response: %s', (_name, value) => {
    expect(outcomeOf(value)).toMatchObject({ kind: 'failed', failure: 'bad_response' })
  })

  it('may have blocks of unknown types', () => {
    const result = { content: [{ type: 'later', data: 1 }] }
    expect(outcomeOf(result)).toEqual({ kind: 'ok', result })
  })
})
