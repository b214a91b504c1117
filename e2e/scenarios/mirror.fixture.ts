// A gateway before an API that answers with what it was asked and describes itself by any document of a test.
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'
import { call, echoing, jsonOf, registered, rpc, startNear } from './registration.fixture.ts'

export type Listed = {
  name: string
  description: string
  inputSchema: { properties: Record<string, unknown> } & object
}
export type Registered = {
  tools: { name: string; sourceName: string; description: string }[]
  warnings?: string[]
}
export type Mirror = {
  readonly gateway: Gateway
  readonly api: UpstreamServer
  /** What the API describes itself by from now on. */
  describe(document: object): void
  /** An OpenAPI document of these paths, registered. */
  spec(name: string, paths: object, more?: object): Promise<Registered>
  /** What `tools/list` says, by name. */
  tools(name: string): Promise<Record<string, Listed>>
  /** What a call of the tool sent. */
  sent(name: string, tool: string, args?: object): Promise<Record<string, unknown>>
  end(): Promise<void>
}

export async function startMirror(): Promise<Mirror> {
  let document: object = {}
  const gateway = await startNear({ MAX_TOOLS_PER_CLIENT: '300' })
  const api = await startServer((hit, response) =>
    hit.url === '/openapi.json' ? answerJson(response, document) : echoing(hit, response),
  )
  return {
    gateway,
    api,
    describe: (given) => void (document = given),
    async spec(name, paths, more = {}) {
      document = { openapi: '3.1.0', info: { title: name, version: '1' }, paths, ...more }
      const source = { name, openapi_url: `${api.url}/openapi.json`, base_url: api.url }
      return (await registered(gateway, source)) as Registered // the answer of a registration
    },
    async tools(name) {
      const { result } = jsonOf<{ result: { tools: Listed[] } }>(await rpc(gateway, name, 'tools/list'))
      return Object.fromEntries(result.tools.map((tool) => [tool.name, tool]))
    },
    async sent(name, tool, args = {}) {
      const { content } = await call(gateway, name, tool, args)
      return JSON.parse(content[0]?.text ?? 'null') as Record<string, unknown> // what the API was asked
    },
    async end() {
      await gateway.end()
      await api.close()
    },
  }
}
