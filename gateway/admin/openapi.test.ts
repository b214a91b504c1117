// The document against the specification of OpenAPI itself, by a reader that shares no code with its writer.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { API, ERROR_STATUS, type RouteTable } from '#contract'
import { routes } from '../contract/route.ts'
import { aHouse, mountUnreached } from './admin.fixture.ts'
import { openApi } from './openapi.ts'

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  tags: string[]
  summary: string
  parameters: { name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content?: Record<string, { schema?: Json }> }>
  security: Json[]
  'x-role': string
}
type Document = {
  openapi: string
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; securitySchemes: Json }
}

const parsed = (value: unknown): Document => JSON.parse(JSON.stringify(value)) as Document // what a reader gets
const document = parsed(openApi(API, '1.2.3'))
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref') yield String(inner)
    yield* refsIn(inner)
  }
}
const resolve = (of: Document, ref: string): unknown =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], of)

describe('the OpenAPI document', () => {
  // cites: ct.3.docs-files
  it('is served in both spellings, with an operation for every route and no other', async () => {
    const house = await aHouse({ mountMore: mountUnreached })
    const { app, url } = house.front
    const read = async (file: string) => {
      const answer = await fetch(`${url}/docs/${file}`, { headers: { authorization: 'Bearer good' } })
      return answer.text()
    }
    const served = JSON.parse(await read('openapi.json')) as Document
    expect(parse(await read('openapi.yaml'))).toEqual(served)
    const listed = Object.entries(served.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    )
    const mounted = house.routes.filter((route) => !route.startsWith('HEAD '))
    expect(mounted.filter((route) => !listed.includes(route))).toEqual([])
    const absent = listed.filter((route) => {
      const [method = '', path = ''] = route.split(' ')
      return !app.hasRoute({ method, url: path })
    })
    // There is no built admin application in a test, no issuer of tokens and no install page.
    const elsewhere = (route: string): boolean =>
      ['GET /admin', 'GET /', 'GET /install/:token', 'GET /connect/:link', 'GET /ws-proxy/:name'].includes(route) ||
      route.startsWith('GET /.well-known/')
    expect(absent.filter((route) => !elsewhere(route))).toEqual([])
  })

  it('has an operation for every route of the tables', () => {
    const tables = Object.values<RouteTable>(API)
    const listed = tables.flatMap((table) =>
      Object.values(table).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
    )
    const described = operations
      .filter(({ operation }) => !operation.tags.includes('front'))
      .map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    expect(described.sort()).toEqual(listed.sort())
    expect(document.openapi).toBe('3.1.0')
  })

  it('resolves every reference', () => {
    const refs = [...refsIn(document)]
    expect(refs.length).toBeGreaterThan(20)
    expect(refs.filter((ref) => resolve(document, ref) === undefined)).toEqual([])
  })

  it('declares every parameter of a path, and none twice', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual(inPath)
      expect(declared.every(({ required }) => required)).toBe(true)
      const keys = operation.parameters.map(({ name, in: where }) => `${where} ${name}`)
      expect(new Set(keys).size).toBe(keys.length)
    }
  })

  it('holds schemas that a validator accepts', () => {
    const ajv = new Ajv2020({ strict: false, logger: false })
    // One document, so that references are followed for real.
    ajv.addSchema({ $id: 'https://gantry.test/api', components: document.components })
    const whole = JSON.stringify(document).replaceAll('"#/components', '"https://gantry.test/api#/components')
    const schemas = Object.values(parsed(JSON.parse(whole)).paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters, requestBody, responses }) => [
        ...parameters.map(({ schema }) => schema),
        ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
        ...Object.values(responses).flatMap(({ content = {} }) =>
          Object.values(content).map(({ schema = {} }) => schema),
        ),
      ])
    expect(schemas.length).toBeGreaterThan(50)
    // Hundreds of operations share a few error responses: each different schema is compiled once.
    const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))
    for (const schema of different.values()) expect(() => ajv.compile(schema)).not.toThrow()
  })

  it('describes what is really answered', () => {
    const ajv = new Ajv2020({ strict: false, logger: false })
    ajv.addSchema({ $id: 'https://gantry.test/api', components: document.components })
    const user = ajv.compile({ $ref: 'https://gantry.test/api#/components/schemas/UserRecord' })
    const record = {
      username: 'a',
      role: 'admin',
      isActive: true,
      teamId: null,
      authMethod: 'password',
      createdAt: 'x',
      lastLoginAt: null,
      invitation: null,
      revision: 1,
    }
    expect(user(record)).toBe(true)
    expect(user({ ...record, teamId: 'one' })).toBe(false)
  })

  it('names each operation once, with a known tag, a summary and who may use it', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = new Set(document.tags.map(({ name }) => name))
    for (const { operation } of operations) {
      expect(operation.tags.every((tag) => tags.has(tag))).toBe(true)
      expect(operation.summary.length).toBeGreaterThan(5)
      expect(operation['x-role']).toMatch(/^(public|viewer|auditor|operator|admin|superadmin|self)$/)
      expect(operation.security.length === 0).toBe(operation['x-role'] === 'public')
      for (const scheme of operation.security.flatMap((each) => Object.keys(each)))
        expect(document.components.securitySchemes).toHaveProperty(scheme)
    }
  })

  it('lists the errors of each route under their status', () => {
    for (const { operation } of operations)
      for (const [status, { description }] of Object.entries(operation.responses))
        if (Number(status) >= 400)
          for (const code of description.split(', '))
            expect(String(ERROR_STATUS[code as keyof typeof ERROR_STATUS])).toBe(status) // an unknown code is undefined
    expect(document.paths['/admin-api/users']?.post?.responses['409']?.description).toBe('USER_EXISTS')
  })

  it('keeps definitions of one schema apart from those of another', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree)
      },
    })
    const list = z.object({
      head: z.number(),
      get next() {
        return list.nullable()
      },
    })
    const made = parsed(
      openApi(
        {
          t: routes({
            tree: {
              method: 'GET',
              path: '/tree',
              access: 'public',
              summary: 'A tree',
              reply: z.object({ tree, any: z.json() }),
            },
            list: { method: 'GET', path: '/list', access: 'public', summary: 'A list', reply: list },
          }),
        },
        '1',
      ),
    )
    const refs = [...refsIn(made)].filter((ref) => !ref.endsWith('ErrorEnvelope'))
    expect(refs.length).toBeGreaterThan(3)
    expect(refs.filter((ref) => resolve(made, ref) === undefined)).toEqual([])
  })
})
