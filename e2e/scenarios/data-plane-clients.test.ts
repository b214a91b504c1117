// Foreign clients: the official SDK's client over a shard, its progress and its notifications of changed tools.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aShop, aShopGateway, disable } from './data-plane.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'

async function connect(gateway: Gateway, path: string): Promise<Client> {
  const client = new Client({ name: 'sdk', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(gateway.url + path))
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

describe("the SDK's client", () => {
  it('lists, calls, searches, and is notified when tools come and go', async () => {
    const { gateway } = await aShop()
    const client = await connect(gateway, '/mcp/petstore')
    expect(client.getServerVersion()).toMatchObject({ name: 'gantry' })
    let received = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (received += 1))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('getPetById')
    expect(tools.at(-1)?.name).toBe('search_tools')
    const answer = await client.callTool({ name: 'getPetById', arguments: { id: 5 } })
    expect(answer.structuredContent).toMatchObject({ id: 5, name: 'Rex' })
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'get pet by id' } })
    expect(found.structuredContent).toHaveProperty('matches.0.name', 'getPetById')
    const refused = await client.callTool({ name: 'nope', arguments: {} })
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'unknown_tool' } })

    // Its GET stream opens in the background; until it does, changes reach no client.
    const report = async (enabled: boolean): Promise<boolean> => {
      await disable(gateway, enabled)
      return received > 0
    }
    await vi.waitUntil(async () => (await report(true)) || (await report(false)), { timeout: 30_000, interval: 1_100 })
    await disable(gateway, false)
    expect((await client.listTools()).tools).toEqual([])
    await disable(gateway, true)
    expect((await client.listTools()).tools.length).toBeGreaterThan(1)
  })

  it('follows the progress of a call', async () => {
    const gateway = await aShopGateway({ PCG_ENABLED: 'true' })
    const client = await connect(gateway, '/mcp/pcg')
    const made = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const { structuredContent, content } = await client.callTool({ name, arguments: args })
      if (typeof structuredContent !== 'object' || structuredContent === null) throw new Error(JSON.stringify(content))
      return structuredContent as Record<string, unknown> // a JSON object, by the test above
    }
    const graph = await made('create_pcg_graph', { name: 'PCG_Progress' })
    const volume = await made('spawn_pcg_volume', { extent: [100, 100, 100], pcg_graph_path: graph.asset_path })
    const steps: unknown[] = []
    const args = { name: 'generate_pcg_component', arguments: { actor_name: volume.actor_name } }
    const generated = await client.callTool(args, undefined, { onprogress: (step) => steps.push(step) })
    expect(generated.structuredContent).toMatchObject({ scheduled: true })
    expect(steps).toMatchObject([{ progress: 0, total: 1 }])
  })
})
