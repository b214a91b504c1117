// What is registered by the tests: payloads, documents, and a source that changes between two readings.
import { type RegistrationPayload as Payload, RegistrationPayload } from '../../contract/registration.ts'
import { aServer, serving } from '../../registry/upstream-server.fixture.ts'
import { type BackendHouse, ROOT } from './backends.fixture.ts'

export const payload = (more: object): Payload => RegistrationPayload.parse({ name: 'pets', ...more })

export const spec = (operations: Readonly<Record<string, object>>, more: object = {}) => ({
  openapi: '3.1.0',
  info: {},
  paths: Object.fromEntries(
    Object.entries(operations).map(([operationId, operation]) => [
      `/${operationId}`,
      { get: { operationId, summary: operationId, ...operation } },
    ]),
  ),
  ...more,
})

export const TOOL = { name: 't', method: 'get', endpoint: '/t', description: 'd' }

export const BY_HAND = payload({ tools: [TOOL], base_url: 'http://127.0.0.1:81' })

/** A document that a test changes between two readings. */
export async function aSpecServer() {
  const pages: Record<string, unknown> = {}
  const server = await aServer((hit, response) => serving(pages)(hit, response))
  return { server, become: (value: unknown) => (pages['/spec'] = value), url: `${server.url}/spec` }
}

export async function registered(house: BackendHouse, operations: Readonly<Record<string, object>>) {
  const source = await aSpecServer()
  source.become(spec(operations))
  const result = await house.registration.register(ROOT, payload({ openapi_url: source.url }))
  return { ...source, result }
}
