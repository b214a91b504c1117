// The composite editor: round trips stored composites, and reports invalid JSON by field.
import { describe, expect, it } from 'vitest'
import { type CompositeDetail, CompositeInput } from '#contract'
import { definitionOf, draftOf, moved, newStep, templateOf, withDollars } from './draft.ts'

const COMPOSITE: CompositeDetail = {
  name: 'find-and-fetch',
  description: null,
  enabled: true,
  stepsCount: 2,
  approved: null,
  bundles: [],
  teamId: null,
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
  steps: [
    {
      id: 'found',
      targetClient: 'library',
      targetTool: 'search',
      argsTemplate: { q: { $ref: 'input.q' }, limit: 1, kind: null, deep: { $ref: 'input.q', more: 1 } },
      when: { $ref: 'input.q' },
    },
    {
      targetClient: 'library',
      targetTool: 'get',
      argsTemplate: { id: '${steps.found.json.0.id}' },
      onError: 'continue',
    },
  ],
  output: { first: { $ref: 'steps.1.text' } },
  script: null,
  review: null,
  revision: 1,
  createdAt: '',
  updatedAt: '',
  createdBy: null,
}

describe('a composite in its editor', () => {
  it('is sent unchanged if nothing was edited', () => {
    const { definition, problems } = definitionOf(draftOf(COMPOSITE))
    const { description, inputSchema, steps, output, script } = COMPOSITE
    expect(definition).toEqual({ description, inputSchema, steps, output, script })
    expect(problems.size).toBe(0)
    expect(CompositeInput.safeParse({ name: 'x', ...definition }).success).toBe(true)
  })

  it('reports invalid JSON, and steps without a tool', () => {
    const draft = draftOf(COMPOSITE)
    const { problems } = definitionOf({
      ...draft,
      inputSchema: '{',
      output: { source: 'json', text: 'oh' },
      steps: [{ ...newStep('n'), when: { source: 'json', text: '[' }, args: { a: { source: 'json', text: '' } } }],
    })
    expect([...problems.keys()].toSorted()).toEqual([
      'inputSchema',
      'output',
      'steps.0.argsTemplate.a',
      'steps.0.targetTool',
      'steps.0.when',
    ])
  })

  it('distinguishes a path from text and other JSON', () => {
    expect(templateOf({ $ref: 'input.q' })).toEqual({ source: 'path', text: 'input.q' })
    expect(templateOf('${input.q}')).toEqual({ source: 'text', text: '${input.q}' })
    expect(templateOf({ $ref: 1 }).source).toBe('json')
    expect(templateOf(undefined).source).toBe('none')
  })

  it('moves a step by one, within the list', () => {
    expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
    expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b'])
    expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b'])
  })
})

it.each([
  ['text', 'Hello {{ input.name }} and {{steps.0.id}}', 'Hello ${input.name} and ${steps.0.id}'],
  ['json', '{"a": "{{input.name}}"}', '{"a": "${input.name}"}'],
  ['text', 'Hello ${input.name}', undefined],
  ['text', '{{ not a path }}', undefined],
  ['path', '{{input.name}}', undefined],
] as const)('%s %j with its values in ${…} is %j', (source, text, changed) => {
  expect(withDollars({ source, text })?.text).toBe(changed)
})
