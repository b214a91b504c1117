// What registration scenarios share: a gateway that may reach loopback, raw JSON-RPC, the official client, real upstreams.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { buildSchema, graphql } from 'graphql'
import {
  type Answering,
  answerJson,
  startServer,
  type UpstreamServer,
} from '../../gateway/registry/upstream-server.fixture.ts'
import { type Answer, type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'
import { rowsIn } from './place.fixture.ts'

export const NEAR: Env = {
  ALLOW_PRIVATE_IPS: 'true',
  RATE_LIMIT_REGISTER: '100000',
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
}

export const startNear = (env: Env = {}, folder?: string): Promise<Gateway> => startGateway({ ...NEAR, ...env }, folder)
export const spawnNear = (env: Env = {}, folder?: string): Promise<GatewayProcess> =>
  spawnGateway({ ...NEAR, ...env }, folder)

export const register = (gateway: Gateway, body: unknown): Promise<Answer> =>
  gateway.admin('/register', { method: 'POST', body })

/** The stable code of an error answer. */
export function codeOf({ json }: Answer): string | undefined {
  const { error } = (json ?? {}) as { error?: { code?: string } } // the one envelope of all errors
  return error?.code
}

/** The body in the form that the scenario reads. */
export const jsonOf = <T = Record<string, unknown>>({ json }: Answer): T => json as T

export async function registered(gateway: Gateway, body: unknown): Promise<Record<string, unknown>> {
  const answer = await register(gateway, body)
  if (answer.status !== 200) throw new Error(`Registering answered ${answer.status}: ${answer.text}`)
  return jsonOf(answer)
}

export type CallResult = {
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly _meta?: Record<string, unknown>
}

/** One JSON-RPC request without a session, and what came back for it. */
export async function rpc(gateway: Gateway, name: string, method: string, params: object = {}): Promise<Answer> {
  return gateway.ask(`/mcp/${name}`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  })
}

export async function call(gateway: Gateway, name: string, tool: string, args: object = {}): Promise<CallResult> {
  const answer = await rpc(gateway, name, 'tools/call', { name: tool, arguments: args })
  const { result } = jsonOf<{ result?: CallResult }>(answer)
  if (!result) throw new Error(`Calling ${tool} answered ${answer.status}: ${answer.text}`)
  return result
}

export async function listed(gateway: Gateway, name: string): Promise<string[]> {
  const { result } = jsonOf<{ result?: { tools: { name: string }[] } }>(await rpc(gateway, name, 'tools/list'))
  return (result?.tools ?? []).map((tool) => tool.name).filter((tool) => tool !== 'search_tools')
}

/** The official client, connected; what it lists and calls goes through a session. */
export async function withSdk<T>(gateway: Gateway, name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'scenario', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp/${name}`)))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

/** What the database holds of backends, and of what people did, as text to compare.
 *  The gateway's own doings are left out: on a busy machine its lease changes hands at any time. */
export async function storedRows({ folder }: Gateway): Promise<string> {
  // The audit entry of a call is written up to 50 ms after its answer.
  const changes = "audit_log WHERE actor <> 'system' AND action <> 'tool.call'"
  const tables = ['backends', 'tools', 'catalog_entries', changes]
  return JSON.stringify(
    await rowsIn(
      folder,
      tables.map((rows) => `SELECT * FROM ${rows} ORDER BY id`),
    ),
  )
}

export const TOOL = { name: 'hello', method: 'get', endpoint: '/hello', description: 'Says hello' }

/** Answers with what it was asked, so that a scenario sees the request a tool became. */
export const echoing: Answering = ({ method, url, headers, body }, response) =>
  answerJson(response, {
    method,
    url,
    body,
    type: headers['content-type'] ?? null,
    trace: headers['x-trace'] ?? null,
    authorization: headers.authorization ? 'present' : null,
  })

export const PETS = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getPet',
        summary: 'One pet',
        tags: ['read'],
        parameters: [
          { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
        ],
      },
      delete: { operationId: 'dropPet', tags: ['write'] },
    },
    '/pets': {
      post: {
        operationId: 'addPet',
        tags: ['write'],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
            },
          },
        },
      },
    },
  },
}

const SDL = `
  enum Size { SMALL LARGE }
  type Pet { id: ID! name: String size: Size friends: [Pet!] }
  type Query { pet(id: ID!): Pet  pets(size: Size): [Pet!]!  broken: Pet }
  type Mutation { addPet(name: String!): Pet }
`

/** A GraphQL API over graphql-js and node:http. */
export function startGraphql(more = ''): Promise<UpstreamServer> {
  const schema = buildSchema(SDL + more)
  const pet = (name: string) => ({ id: '1', name, size: 'SMALL', friends: [{ id: '2', name: 'Rex', size: 'LARGE' }] })
  const rootValue = {
    pet: () => pet('Tom'),
    pets: ({ size }: { size?: string }) => [pet(size ?? 'any')],
    addPet: ({ name }: { name: string }) => pet(name),
    broken: () => {
      throw new Error('it broke')
    },
  }
  return startServer(async ({ body }, response) => {
    const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> }
    answerJson(response, await graphql({ schema, source: query, rootValue, variableValues: variables ?? null }))
  })
}
