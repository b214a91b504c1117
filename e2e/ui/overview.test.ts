// The overview: what needs attention comes first, zeros are left out, the range has calls, and the worst tools are listed beside the most used.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, registered, rpc } from '../scenarios/registration.fixture.ts'
import { hasBrowser, heading, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false', RATE_LIMIT_MCP: '10000' })
let upstream: UpstreamServer
const SLOW_MS = 300

if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer(({ url }, response) => {
      if (url === '/slow') setTimeout(() => answerJson(response, { ok: true }), SLOW_MS)
      else if (url === '/broken') response.writeHead(404).end()
      else answerJson(response, { ok: true })
    })
    const tools = ['busy', 'slow', 'broken'].map((name) => ({
      name,
      method: 'GET',
      endpoint: `/${name}`,
      description: name,
    }))
    await registered(gateway(), { name: 'shop', base_url: upstream.url, tools })
  })
  afterAll(() => upstream.close())
}

type Page = Awaited<ReturnType<typeof visitAs>>
const list = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe.skipIf(!hasBrowser)(`the overview (${where})`, () => {
  it('says that nothing needs attention, and shows no zero', async () => {
    const page = await visitAs('admin')
    await list(page, 'Needs attention').getByText('Nothing. Backends answer').waitFor()
    const backends = list(page, 'Backends')
    await backends
      .getByText('Healthy')
      .or(backends.getByText('1', { exact: true }))
      .first()
      .waitFor()
    for (const name of ['Backends', 'Tools', 'Keys', 'MCP sessions']) {
      const zeros = list(page, name).locator('dd', { hasText: /^0$/ })
      expect(await zeros.count(), name).toBe(0)
    }
    expect(await page.getByText('Quarantined').count()).toBe(0)
  })

  it('lists failures above everything else, in the hour that has calls, with the worst tools beside the most used', async () => {
    for (const [tool, times] of [
      ['busy', 12],
      ['slow', 2],
      ['broken', 4],
    ] as const)
      for (let at = 0; at < times; at += 1) await rpc(gateway(), 'shop', 'tools/call', { name: tool, arguments: {} })
    const page = await visitAs('admin')
    const attention = list(page, 'Needs attention')
    await attention.getByRole('link', { name: /^shop fails [\d.]+% of its calls$/ }).waitFor()
    await soon(() => page.getByRole('combobox', { name: 'Time', exact: true }).textContent()).toContain('Last hour')
    const first = (name: string) => list(page, name).getByRole('listitem').first().textContent()
    await soon(() => first('Most failing tools')).toContain('broken')
    await soon(() => first('Slowest tools')).toContain('slow')
    await soon(() => first('Most used tools')).toContain('busy')
    const top = async (name: string) => (await list(page, name).boundingBox())?.y ?? 0
    expect(await top('Needs attention')).toBeLessThan(await top('Most used tools'))
    expect(await top('Most used tools')).toBeLessThan(await top('Backends'))
    await attention.getByRole('link', { name: /^shop fails [\d.]+% of its calls$/ }).click()
    await heading(page, 'shop').waitFor()
  })
})
