// A gateway in this process and in memory, asked as the user of the machine is.
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import type { ClientRequest } from '../../contract/client.ts'
import { createGateway } from '../../index.ts'
import { loadSettings } from '../../settings/load.ts'

export type Thing = Readonly<Record<string, unknown>>
export type Reply = {
  readonly status: number
  readonly json: Thing
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}
type Method = ClientRequest['method']
export type Asked = {
  readonly ask: (
    method: Method,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Reply>
  /** Of an answer that is the one expected. */
  readonly must: (method: Method, path: string, body?: unknown) => Promise<Thing>
  readonly export: (query?: string) => Promise<Reply>
  readonly import: (data: unknown, wish?: Thing) => Promise<Thing>
  readonly close: () => Promise<void>
}

export async function openGateway(env: Readonly<Record<string, string>> = {}): Promise<Asked> {
  const gateway = await createGateway({
    loaded: loadSettings({
      env: {
        DB_PATH: ':memory:',
        ALLOW_PRIVATE_IPS: 'true',
        BOOTSTRAP_ADMIN_USERNAME: 'first',
        RATE_LIMIT_REGISTER: '100000',
        RATE_LIMIT_GLOBAL: '100000',
        SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...env,
      },
      readFile: () => '',
    }),
    home: 'headless',
    writeLog: () => undefined,
    uiDirectory: '/nowhere',
  })
  const ask: Asked['ask'] = async (method, path, body, headers = {}) => {
    const {
      status,
      headers: reply,
      body: text,
    } = await gateway.adminRequest(
      {
        method,
        path,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
      'tester',
    )
    return { status, headers: reply, text, json: text.startsWith('{') ? (JSON.parse(text) as Thing) : {} }
  }
  const must: Asked['must'] = async (method, path, body) => {
    const { status, json, text } = await ask(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return json
  }
  return {
    ask,
    must,
    export: (query = '') => ask('GET', `/admin-api/config/export${query}`),
    import: (data, wish = {}) => must('POST', '/admin-api/config/import?confirm=true', { data, ...wish }),
    close: async () => void (await gateway.close()),
  }
}

export async function aGateway(env?: Readonly<Record<string, string>>): Promise<Asked> {
  const gateway = await openGateway(env)
  onTestFinished(gateway.close)
  return gateway
}

/** Nothing listens there: a registration by hand asks no server. */
export const backend = (name: string, tools: readonly string[] = ['get_pet', 'list_pets']): Thing => ({
  name,
  base_url: 'http://127.0.0.1:50909/',
  tools: tools.map((tool) => ({ name: tool, method: 'GET', endpoint: `/${tool}`, description: `Does ${tool}` })),
})
export const document = (sections: Thing): Thing => ({ kind: 'gantry.config', version: 1, ...sections })

/** A gateway for the file; each test finds one backend with two tools, and nothing else. */
export function usePets() {
  let gateway: Asked
  beforeAll(async () => {
    gateway = await openGateway({
      ADMIN_API_KEYS: 'the-admin-key-of-the-tests',
      GANTRY_SECRET_PETS: 'a token of the tests',
      MAX_REGISTER_BODY_BYTES: '200000',
    })
  })
  afterAll(() => gateway.close())
  beforeEach(async () => {
    const { items } = (await gateway.must('GET', '/admin-api/clients')) as { items: { name: string }[] }
    for (const { name } of items) await gateway.must('DELETE', `/admin-api/clients/${name}`)
    await gateway.import(
      document({ bundles: [], composites: [], consumers: [], guardPolicies: [], catalogEntries: [], teams: [] }),
      { mode: 'replace' },
    )
    await gateway.must('POST', '/register', backend('pets'))
  })

  const exported = async (query = ''): Promise<Thing> => JSON.parse((await gateway.export(query)).text) as Thing
  return {
    ask: (...given: Parameters<Asked['ask']>) => gateway.ask(...given),
    must: (...given: Parameters<Asked['must']>) => gateway.must(...given),
    export: (...given: Parameters<Asked['export']>) => gateway.export(...given),
    import: (...given: Parameters<Asked['import']>) => gateway.import(...given),
    exported,
    async clientOf(name = 'pets'): Promise<Thing> {
      const { clients } = (await exported()) as { clients: { name: string }[] }
      return clients.find((client) => client.name === name) as Thing // the tests registered it
    },
    configure: (tool: string, patch: Thing) => gateway.must('PATCH', `/admin-api/clients/pets/tools/${tool}`, patch),
    configOf: async (tool: string): Promise<Thing> =>
      (await gateway.must('GET', `/admin-api/clients/pets/tools/${tool}`)).config as Thing,
    async refusal(data: unknown, wish: Thing = {}): Promise<unknown[]> {
      const { status, json } = await gateway.ask('POST', '/admin-api/config/import?confirm=true', { data, ...wish })
      const { code, message } = (json.error ?? {}) as Thing
      return [status, code, message]
    },
    snapshots: async (): Promise<Thing[]> =>
      ((await gateway.must('GET', '/admin-api/config/snapshots')) as { items: Thing[] }).items,
  }
}
