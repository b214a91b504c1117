// Hints by the contract's table, and those that no declaration can override.
import { describe, expect, it } from 'vitest'
import type { Kind } from '../contract/registration.ts'
import { annotationsOf, titleOf } from './annotations.ts'
import { someTool } from './backend.fixture.ts'
import type { Tool } from './backend.ts'

const aTool = (name: string, given: Partial<Tool>, definition: Partial<Tool['definition']>): Tool =>
  someTool({ client: 'shop', name, ...given }, { method: 'GET', ...definition })

const hints = (kind: Kind, definition: Partial<Tool['definition']>, gated = false, given: Partial<Tool> = {}) => {
  const { title: _title, ...rest } = annotationsOf(kind, aTool('a_tool', given, definition), gated)
  return rest
}
const row = (
  readOnlyHint: boolean,
  destructiveHint: boolean | undefined,
  idempotentHint: boolean,
  openWorldHint = true,
) => ({
  readOnlyHint,
  ...(destructiveHint === undefined ? {} : { destructiveHint }),
  idempotentHint,
  openWorldHint,
})

describe('annotations', () => {
  // cites: ct.5.11.rest-get ct.5.11.rest-post ct.5.11.rest-put ct.5.11.rest-patch ct.5.11.rest-delete
  it.each([
    ['GET', row(true, false, true)],
    ['HEAD', row(true, false, true)],
    ['POST', row(false, undefined, false)],
    ['PUT', row(false, true, true)],
    ['PATCH', row(false, true, false)],
    ['DELETE', row(false, true, true)],
    ['PROPFIND', row(false, undefined, false)],
  ])('of %s', (method, expected) => {
    expect(hints('rest', { method })).toEqual(expected)
  })

  it('of a query and a mutation [ct.5.11.graphql]', () => {
    const graphql = (operation: 'query' | 'mutation') => ({ graphql: { operation, document: '', operationName: 'x' } })
    expect(hints('graphql', graphql('query'))).toEqual(row(true, false, true))
    expect(hints('graphql', graphql('mutation'))).toEqual(row(false, undefined, false))
  })

  it('of an upstream are used as declared; open-world by default [ct.5.11.upstream]', () => {
    expect(hints('mcp', {})).toEqual({ openWorldHint: true })
    expect(hints('mcp', { annotations: { destructiveHint: true, openWorldHint: false } })).toEqual({
      destructiveHint: true,
      openWorldHint: false,
    })
  })

  it('that are not booleans are dropped [ct.5.11.non-boolean]', () => {
    const annotations = JSON.parse('{"readOnlyHint":"yes","idempotentHint":1,"destructiveHint":null,"more":true}')
    expect(hints('mcp', { annotations })).toEqual({ openWorldHint: true })
  })

  it('of a gated tool are destructive and not read-only, regardless of declarations and overrides [ct.5.11.sensitive]', () => {
    const claims = { readOnlyHint: true, destructiveHint: false }
    const given = { config: { overrides: { annotations: claims } } }
    expect(hints('mcp', { annotations: claims }, true, given)).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    })
  })

  it('are replaced individually by an override [ct.5.11.override]', () => {
    const given = { config: { overrides: { annotations: { idempotentHint: true } } } }
    expect(hints('rest', { method: 'POST' }, false, given)).toEqual(row(false, undefined, true))
  })
})

it.each([
  [{ config: { overrides: { title: 'Chosen' } } }, { title: 'Upstream' }, 'Chosen'],
  [{}, { title: 'Upstream' }, 'Upstream'],
  [{}, { annotations: { title: 'Hinted' } }, 'Hinted'],
  [{}, {}, 'Get pet by id'],
])('a title is the first there is of override, upstream and name [ct.5.11.title]', (given, definition, title) => {
  expect(titleOf(aTool('get_pet-by_id', given, definition))).toBe(title)
})
