// The inbox of approvals in the browser: a call comes by itself, is looked at against the last one, and is decided by keys.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, registered, rpc } from '../scenarios/registration.fixture.ts'
import {
  barriers,
  hasBrowser,
  heading,
  nav,
  soon,
  turnTo,
  useGateway,
  visitAs,
  visitAsNew,
  where,
} from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false' })
let upstream: UpstreamServer
beforeAll(async () => {
  upstream = await startServer((_request, response) => answerJson(response, { ok: true }))
  if (!hasBrowser) return
  const inputSchema = { type: 'object', properties: { order: { type: 'integer' }, to: { type: 'string' } } }
  const tools = [{ name: 'refund', method: 'POST', endpoint: '/refund', description: 'Pays back', inputSchema }]
  await registered(gateway(), { name: 'bank', base_url: upstream.url, tools })
})
afterAll(() => upstream.close())

/** The ticket that a call waits for. */
async function queue(args: object): Promise<number> {
  const { json, text } = await rpc(gateway(), 'bank', 'tools/call', { name: 'refund', arguments: args })
  const { result } = json as { result?: { structuredContent?: { approval?: { id: number } } } } // looked at here
  return result?.structuredContent?.approval?.id ?? expect.fail(text)
}
type Page = Awaited<ReturnType<typeof visitAs>>
const row = (page: Page, id: number) => page.getByRole('row', { name: `${id} bank / refund` })
const sheet = (page: Page, id: number) => page.getByRole('dialog', { name: `Ticket ${id}` })

describe.skipIf(!hasBrowser)(`approvals (${where})`, () => {
  it('are asked for in the limits of a tool', async () => {
    const page = await visitAs('admin', '/admin/tools/bank/refund?view=limits')
    await page.getByRole('checkbox', { name: 'Require approval for every call' }).click()
    await page.getByLabel('Required approvals').fill('many')
    await page.getByText('must be a whole number').waitFor()
    await page.getByLabel('Required approvals').fill('1')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('refund was changed').waitFor()
    await page.getByText('approval', { exact: true }).first().waitFor()
  })

  it('come by themselves, are counted in the sidebar, announced on other pages, and decided by keys', async () => {
    const page = await visitAs('admin', '/admin/approvals')
    await page.getByText('No pending approvals').waitFor()
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    expect(await barriers(page)).toEqual([])
    const first = await queue({ order: 1, to: 'Zoe' })
    await row(page, first).waitFor()
    await page.keyboard.press('j')
    await sheet(page, first).getByText('No call of this tool was approved before.').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('a')
    await page.getByRole('dialog', { name: 'Approve this call?' }).getByLabel('Note').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.type('fine by me')
    await page.keyboard.press('Enter')
    await page.getByText('No pending approvals').waitFor()

    await nav(page, 'Tools').click()
    await heading(page, 'Tools').waitFor()
    const second = await queue({ order: 2, to: 'Zoe' })
    await soon(() => nav(page, 'Approvals').textContent()).toMatch(/1$/)
    await page.getByText('A call of bank / refund waits for an approval').waitFor()
    await page.getByRole('button', { name: 'Look' }).click()
    await sheet(page, second).getByRole('list', { name: 'Differences' }).getByText('/order').waitFor()
    const third = await queue({ order: 3 })
    await row(page, third).waitFor()
    await page.keyboard.press('k')
    await sheet(page, third).waitFor()
    await page.keyboard.press('j')
    await sheet(page, second).waitFor()
    await page.keyboard.press('d')
    await page.getByRole('dialog', { name: 'Deny this call?' }).getByLabel('Reason').fill('not twice')
    await page.keyboard.press('Enter')
    // What comes after it is opened by itself.
    await sheet(page, third).waitFor()

    await turnTo(page, `/admin/approvals/${second}`)
    await sheet(page, second).getByText('not twice').waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('show a viewer that something waits, and not with what', async () => {
    const page = await visitAsNew('onlooker', 'viewer', '/admin/approvals', { colorScheme: 'dark' })
    const id = await queue({ order: 4 })
    await row(page, id).click()
    await page.getByText('Only operators and admins can see the arguments').waitFor()
    await page.getByText('Operators and admins decide.').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    expect(await barriers(page)).toEqual([])
  })
})
