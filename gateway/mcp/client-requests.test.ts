// Requests of upstreams to clients: rejected if undeclared, too large, or with a forbidden URL.
import { describe, expect, it } from 'vitest'
import { NOTHING_WITHHELD } from '../text/foreign-text.ts'
import { carriedCapabilities, checkAsked } from './client-requests.ts'

const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const form = (requestedSchema: unknown, more: object = {}) => ({ message: 'm', requestedSchema, ...more })
const url = (text: unknown) => ({ mode: 'url', message: 'm', elicitationId: 'e', url: text })
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_each, n) => [`f${n}`, { type: 'string' }]))

type Case = readonly [
  what: string,
  method: string,
  params: Record<string, unknown>,
  capabilities: Record<string, unknown>,
]
const REFUSED: readonly Case[] = [
  ['what no client is asked for', 'tools/call', {}, ALL],
  ['a name of every object', 'constructor', {}, ALL],
  ['a form of a client without', 'elicitation/create', form({}), {}],
  ['sampling of a client without', 'sampling/createMessage', {}, { elicitation: {} }],
  ['roots of a client without', 'roots/list', {}, { sampling: {} }],
  ['a form without a schema', 'elicitation/create', form(undefined), ALL],
  ['a form of a client that takes URLs only', 'elicitation/create', form({}), { elicitation: { url: {} } }],
  ['a URL of a client that takes forms only', 'elicitation/create', url('https://a.test'), { elicitation: {} }],
  ['a form of too many fields', 'elicitation/create', form({ properties: fields(101) }), ALL],
  ['a huge form', 'elicitation/create', form({ description: 'x'.repeat(70_000) }), ALL],
  ['an unknown mode', 'elicitation/create', form({}, { mode: 'file' }), ALL],
  ['a huge prompt', 'sampling/createMessage', { messages: ['x'.repeat(5_000_000)] }, ALL],
  ...[
    'javascript:alert(1)',
    'data:text/html,<script>1</script>',
    'file:///etc/passwd',
    'vscode://install',
    'http://example.com/',
    'https://user:secret@example.com/',
    ' javascript:alert(1)',
    'not a url',
    `https://a.test/${'x'.repeat(9_000)}`,
    7,
  ].map((text) => [`the URL ${String(text).slice(0, 40)}`, 'elicitation/create', url(text), ALL] as const),
]

describe('is refused', () => {
  it.each(REFUSED)('%s', (_what, method, params, capabilities) => {
    expect(checkAsked(method, params, capabilities, NOTHING_WITHHELD)).toHaveProperty('problem')
  })
})

describe('a permitted request', () => {
  it.each<Case>([
    ['a form', 'elicitation/create', form({ properties: fields(3) }), { elicitation: {} }],
    ['a URL', 'elicitation/create', url('https://a.test/path?x=1'), ALL],
    ['a URL of the machine itself', 'elicitation/create', url('http://127.0.0.1:8080/'), ALL],
    ['sampling', 'sampling/createMessage', { messages: [], maxTokens: 1 }, ALL],
    ['roots', 'roots/list', {}, ALL],
  ])('%s passes as it is', (_what, method, params, capabilities) => {
    expect(checkAsked(method, params, capabilities, NOTHING_WITHHELD)).toEqual({ params })
  })

  it('is stripped of hop-by-hop fields, our credential and invisible characters', () => {
    const given = {
      message: 'say the-secret-of-the-upstream\u202e\u001b[31m',
      requestedSchema: {},
      task: {},
      _meta: { progressToken: 1, k: 2 },
    }
    expect(checkAsked('elicitation/create', given, ALL, { secrets: ['the-secret-of-the-upstream'] })).toEqual({
      params: { message: 'say [credential removed]', requestedSchema: {}, _meta: { k: 2 } },
    })
  })
})

describe('capabilities', () => {
  it('are forwarded if usable through the gateway, and never invented', () => {
    const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } }
    const declared = {
      elicitation: { form: {}, url: {} },
      sampling: { tools: {}, tasks: {} },
      roots: { listChanged: true },
      tasks: { list: {} },
      experimental: { x: {} },
      extensions: { ...ui, 'io.modelcontextprotocol/tasks': {} },
    }
    expect(carriedCapabilities(declared)).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: { tools: {} },
      roots: { listChanged: true },
      extensions: ui,
    })
    expect(carriedCapabilities({ sampling: { x: 'x'.repeat(2_000) }, elicitation: 'yes' })).toEqual({})
    expect(carriedCapabilities(undefined)).toEqual({})
  })
})
