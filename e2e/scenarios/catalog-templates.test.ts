// Every built-in template, installed from what its service publishes: the addresses are local, all else of the template is as it stands.
import { buildSchema, graphql } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CatalogInput } from '../../gateway/contract/admin/catalog.ts'
import { corpus, hasCorpus } from '../../gateway/discovery/corpora.fixture.ts'
import { TEMPLATES } from '../../gateway/operations/curation/catalog-templates.ts'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, startMcpPeer } from '../peers/mcp.ts'
import { CONTEXT7, COUNTRIES, DEEPWIKI, GITHUB, OPEN_METEO } from './catalog-services.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'
import { call, echoing, jsonOf, listed, startNear } from './registration.fixture.ts'

let gateway: Gateway
const open: (UpstreamServer | McpPeer)[] = []
beforeAll(async () => {
  // The limits are those of an unconfigured gateway.
  gateway = await startNear()
})
afterAll(async () => {
  await gateway.end()
  for (const each of open) await each.close()
})

const TOKEN = 'token-of-the-user'
const templateOf = (slug: string): CatalogInput => {
  const found = TEMPLATES.find((template) => template.slug === slug)
  if (!found) throw new Error(`There is no template ${slug}`)
  return found
}
/** The same address at another server. */
const at = (server: { readonly url: string }, address: string): string => {
  const { pathname, search } = new URL(address)
  return new URL(pathname + search, server.url).href
}
type Installed = {
  tools: { name: string; description: string }[]
  tools_count: number
  kind: string
  warnings?: string[]
}

/** Adds the template under a slug of its own, its addresses moved, and installs it. */
async function install(slug: string, moved: Partial<CatalogInput>): Promise<Installed> {
  const template = templateOf(slug)
  const body = { ...template, slug: `${slug}-here`, ...moved }
  const made = await gateway.admin('/admin-api/catalog', { method: 'POST', body })
  expect(made.status, made.text).toBe(201)
  const auth = template.authHint === 'none' ? {} : { upstreamAuth: { type: 'bearer', token: TOKEN } }
  const { id } = jsonOf<{ id: string }>(made)
  const answer = await gateway.admin(`/admin-api/catalog/${id}/install`, {
    method: 'POST',
    body: { name: slug, ...auth },
  })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.text).not.toContain(TOKEN)
  return jsonOf<Installed>(answer)
}
async function serving(answers: (url: string) => string | undefined): Promise<UpstreamServer> {
  const server = await startServer((hit, response) => {
    const text = answers(hit.url)
    return text === undefined ? echoing(hit, response) : response.end(text)
  })
  open.push(server)
  return server
}
async function asking(sdl: string): Promise<UpstreamServer> {
  const schema = buildSchema(sdl)
  const server = await startServer(async ({ body }, response) => {
    const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> }
    answerJson(response, await graphql({ schema, source: query, variableValues: variables ?? null }))
  })
  open.push(server)
  return server
}
async function peer(tools: readonly Record<string, unknown>[], bearer?: string): Promise<McpPeer> {
  const made = await startMcpPeer({ tools, ...(bearer === undefined ? {} : { bearer }) })
  open.push(made)
  return made
}
const requestOf = (server: UpstreamServer) => {
  const { method = '', url = '', headers = {} } = server.hits.at(-1) ?? {}
  return { request: `${method} ${url}`, authorization: headers.authorization }
}
const TESTED = ['petstore', 'countries', 'deepwiki', 'github', 'open-meteo', 'resend', 'buildkite', 'context7']

it('no template is left untried here', () => {
  expect(TEMPLATES.map(({ slug }) => slug).toSorted()).toEqual(TESTED.toSorted())
})

describe('published specs', () => {
  it('petstore', async () => {
    const { openapiUrl = '', baseUrl = '' } = templateOf('petstore')
    const shop = await serving((url) =>
      url === new URL(openapiUrl).pathname ? corpus('openapi/petstore.v30.json') : undefined,
    )
    const { tools_count } = await install('petstore', { openapiUrl: at(shop, openapiUrl), baseUrl: at(shop, baseUrl) })
    expect(tools_count).toBe(20)
    await call(gateway, 'petstore', 'findPetsByStatus', { status: ['sold'] })
    expect(requestOf(shop).request).toBe('GET /api/v3/pet/findByStatus?status=sold')
  })

  it('resend, of which only a choice fits into the default limit; the token goes to the API and not to where the document lies', async () => {
    const { openapiUrl = '', baseUrl = '', includeTags } = templateOf('resend')
    const files = await serving((url) =>
      url === new URL(openapiUrl).pathname ? corpus('openapi/resend.v31.yaml') : undefined,
    )
    const api = await serving(() => undefined)
    const { tools, tools_count } = await install('resend', {
      openapiUrl: at(files, openapiUrl),
      baseUrl: at(api, baseUrl),
    })
    // 10 + 9 + 13 + 9 + 7 + 5 operations have one of the six tags.
    expect([includeTags?.length, tools_count]).toEqual([6, 53])
    expect(files.hits.map(({ headers }) => headers.authorization)).toEqual([undefined])
    const send = tools.find(({ description }) => description === 'Send an email')
    await call(gateway, 'resend', send?.name ?? '', { from: 'a@example.com', to: 'b@example.com', subject: 's' })
    expect(requestOf(api)).toEqual({ request: 'POST /emails', authorization: `Bearer ${TOKEN}` })
  })

  const published = hasCorpus('graphql/buildkite.graphql')
  const unpublished = published ? '' : ' (skipped: the schema of Buildkite has no licence to be copied)'
  it.skipIf(!published)(`buildkite, whose queries fit into the default limit${unpublished}`, async () => {
    const { graphqlUrl = '' } = templateOf('buildkite')
    const api = await asking(corpus('graphql/buildkite.graphql'))
    const { tools_count } = await install('buildkite', { graphqlUrl: at(api, graphqlUrl) })
    expect(tools_count).toBe(22)
    const { content, isError = false } = await call(gateway, 'buildkite', 'organization', { slug: 'acme' })
    expect([isError, JSON.parse(content[0]?.text ?? '')]).toEqual([false, { data: { organization: null } }])
    expect(requestOf(api)).toEqual({ request: 'POST /v1', authorization: `Bearer ${TOKEN}` })
  })
})

it('open-meteo', async () => {
  const { openapiUrl = '', baseUrl = '' } = templateOf('open-meteo')
  const api = await serving(() => undefined)
  const files = await serving((url) => (url === new URL(openapiUrl).pathname ? OPEN_METEO(api.url) : undefined))
  const { tools } = await install('open-meteo', { openapiUrl: at(files, openapiUrl), baseUrl: at(api, baseUrl) })
  expect(tools.map(({ name }) => name)).toEqual(['get_v1_forecast'])
  await call(gateway, 'open-meteo', 'get_v1_forecast', {
    latitude: 52.52,
    longitude: 13.41,
    hourly: ['temperature_2m', 'precipitation'],
    daily: ['sunrise', 'sunset'],
  })
  expect(requestOf(api).request).toBe(
    'GET /v1/forecast?hourly=temperature_2m,precipitation&daily=sunrise&daily=sunset&latitude=52.52&longitude=13.41',
  )
})

it('countries', async () => {
  const { graphqlUrl = '' } = templateOf('countries')
  const api = await asking(COUNTRIES)
  const { tools } = await install('countries', { graphqlUrl: at(api, graphqlUrl) })
  expect(tools.map(({ name }) => name)).toEqual([
    'continents',
    'continent',
    'countries',
    'country',
    'languages',
    'language',
  ])
  const { content } = await call(gateway, 'countries', 'country', { code: 'DE' })
  expect(JSON.parse(content[0]?.text ?? '')).toEqual({ data: { country: null } })
  expect(requestOf(api).request).toBe('POST /graphql')
})

describe('MCP servers', () => {
  it('deepwiki', async () => {
    const { mcpUrl = '' } = templateOf('deepwiki')
    await install('deepwiki', { mcpUrl: at(await peer(DEEPWIKI), mcpUrl) })
    expect(await listed(gateway, 'deepwiki')).toEqual(['ask_question', 'read_wiki_contents', 'read_wiki_structure'])
    expect(await call(gateway, 'deepwiki', 'ask_question', { repoName: 'a/b' })).toMatchObject({ isError: true })
  })

  it('github, with the token it asks for', async () => {
    const { mcpUrl = '' } = templateOf('github')
    const { tools } = await install('github', { mcpUrl: at(await peer(GITHUB, TOKEN), mcpUrl) })
    expect(tools).toMatchObject([
      { name: 'get_file_contents', title: 'Get file or directory contents', annotations: { readOnlyHint: true } },
      { name: 'create_branch', title: 'Create branch', annotations: { readOnlyHint: false, destructiveHint: false } },
    ])
  })

  it('context7, whose honest orders to the model stay as they are', async () => {
    const { mcpUrl = '' } = templateOf('context7')
    const { tools } = await install('context7', { mcpUrl: at(await peer(CONTEXT7), mcpUrl) })
    expect(tools.map(({ name, description }) => ({ name, description }))).toEqual(
      CONTEXT7.map(({ name, description }) => ({ name, description })),
    )
    const { text } = await gateway.admin('/admin-api/clients/context7')
    for (const { inputSchema } of CONTEXT7) expect(text).toContain(JSON.stringify(inputSchema.properties.query))
  })
})
