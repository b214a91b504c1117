// The references of a composite: its graph, the paths a step may read, and renames that reach every template.
import { describe, expect, it } from 'vitest'
import { type CompositeDraft, NOTHING, newStep, type Template } from './draft.ts'
import { graphOf, referencesFor, withInputRenamed } from './references.ts'

const path = (text: string): Template => ({ source: 'path', text })
const DRAFT: CompositeDraft = {
  description: '',
  inputSchema: '{ "properties": { "q": { "type": "string", "description": "Words" }, "quiet": {} } }',
  steps: [
    { ...newStep('a'), id: 'found', client: 'library', tool: 'search', args: { q: path('input.q') } },
    {
      ...newStep('b'),
      client: 'library',
      tool: 'get',
      args: {
        id: { source: 'text', text: 'no. ${steps.found.json.id} of $${input.q} for ${input.q}' },
        deep: { source: 'json', text: '{"x": [{"$ref": "input.q.first"}], "y": "${input.quiet}"}' },
      },
      when: path('steps.0.isError'),
    },
    { ...newStep('c'), args: { late: path('steps.2.json'), lost: path('steps.nope.text'), none: NOTHING } },
  ],
  output: { source: 'json', text: '{"$ref": "steps.1.json"}' },
  script: null,
  outputSchema: null,
}

describe('the graph', () => {
  const { nodes, links } = graphOf(DRAFT)

  it('has an arrow from each result to what reads it, in text, JSON and conditions', () => {
    expect(links.map(({ from, to }) => `${from}→${to}`).toSorted()).toEqual(['0→1', '0→2', '1→2', '2→4'])
    expect(links.find(({ from, to }) => from === 1 && to === 2)?.paths).toEqual([
      'steps.found.json.id',
      'steps.0.isError',
    ])
  })

  it('marks references to no earlier step, and steps with a condition', () => {
    expect(nodes[3]?.unknown).toEqual(['steps.2.json', 'steps.nope.text'])
    expect(nodes.map(({ conditional }) => conditional)).toEqual([false, false, true, false, false])
  })

  it('leads from the last step to an output without a template', () => {
    expect(graphOf({ ...DRAFT, output: NOTHING }).links.at(-1)).toEqual({ from: 3, to: 4, paths: [] })
  })
})

describe('references', () => {
  it('are the input, then earlier steps from the nearest, with the fields of their output schemas', () => {
    const outputOf = ({ tool }: { readonly tool: string }) =>
      tool === 'search' ? { properties: { id: { type: 'string' } } } : undefined
    expect(referencesFor(DRAFT, 0)).toEqual([
      { path: 'input.q', about: 'string: Words', group: 'Input' },
      { path: 'input.quiet', about: '', group: 'Input' },
    ])
    const paths = referencesFor(DRAFT, 2, outputOf).map((each) => each.path)
    expect(paths.indexOf('steps.1.json')).toBeLessThan(paths.indexOf('steps.found.json.id'))
    expect(paths.indexOf('steps.found.json.id')).toBeLessThan(paths.indexOf('steps.found.json'))
    expect(referencesFor({ ...DRAFT, inputSchema: 'no JSON' }, 0)).toEqual([])
  })

  it('follow a renamed input, and only that', () => {
    const [first, second] = withInputRenamed(DRAFT, 'q', 'words').steps
    expect(first?.args.q?.text).toBe('input.words')
    expect(second?.args.id?.text).toBe('no. ${steps.found.json.id} of $${input.q} for ${input.words}')
    expect(JSON.parse(second?.args.deep?.text ?? '')).toEqual({
      x: [{ $ref: 'input.words.first' }],
      y: '${input.quiet}',
    })
    expect(withInputRenamed(DRAFT, 'other', 'words')).toEqual(DRAFT)
  })
})
