// Who may do what and how much: teams, consumers, policies, sessions and single sign-on in the browser.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT, realProvider } from '../../gateway/auth/openid.fixture.ts'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { addUser } from '../scenarios/gateway.fixture.ts'
import { jsonOf, NEAR, registered } from '../scenarios/registration.fixture.ts'
import {
  barriers,
  hasBrowser,
  heading,
  intercept,
  openPage,
  soon,
  turnTo,
  undo,
  useGateway,
  visit,
  visitAs,
  visitAsNew,
  where,
} from './ui.fixture.ts'

const gateway = useGateway(NEAR)
let upstream: UpstreamServer
if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer((_request, response) => answerJson(response, { ok: true }))
    for (const name of ['shop', 'bank'])
      await registered(gateway(), {
        name,
        base_url: upstream.url,
        tools: ['alpha', 'beta'].map((tool) => ({
          name: tool,
          method: 'GET',
          endpoint: `/${tool}`,
          description: tool,
        })),
      })
  })
  afterAll(() => upstream.close())
}

const HOSTILE =
  '<img src=x onerror=alert(1)> “quoted” & so long that no column of any table could ever hold it in one line'
type Page = Awaited<ReturnType<typeof visitAs>>
/** A way through several pages takes its time on a busy machine. */
const PATIENCE_MS = 180_000
type Made = { readonly id: number; readonly key: string }

const make = async (path: string, body: object): Promise<Made> =>
  jsonOf<Made>(await gateway().admin(path, { method: 'POST', body }))

async function pick(page: Page, name: string, option: RegExp | string): Promise<void> {
  await page.getByRole('combobox', { name }).click()
  await page.getByRole('option', { name: option }).click()
}

async function connected(path: string, key: string, name: string): Promise<Client> {
  const client = new Client({ name, version: '9' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway().url + path), { requestInit }))
  return client
}

describe.skipIf(!hasBrowser)(`teams (${where})`, { timeout: PATIENCE_MS }, () => {
  it('are made, given people and backends, and keep to themselves', async () => {
    await addUser(gateway(), 'mira', 'operator')
    const page = await visitAs('admin', '/admin/teams')
    await page.getByText('No team yet').waitFor()
    await page.getByRole('button', { name: 'New team' }).first().click()
    await page.getByLabel('Name').fill(HOSTILE.slice(0, 40))
    await page.getByRole('button', { name: 'Create team' }).click()
    await page.getByText('must start with a letter or digit').waitFor()
    await page.getByLabel('Name').fill('Level design')
    await page.getByRole('button', { name: 'Create team' }).click()
    await heading(page, 'Level design').waitFor()

    const part = (name: string) => page.getByRole('region', { name, exact: true })
    await pick(page, 'Add a person', /^mira/)
    await part('Members').getByRole('button', { name: 'Add' }).click()
    await part('Members').getByRole('row').filter({ hasText: 'mira' }).waitFor()
    await pick(page, 'Add a backend', /^shop/)
    await part('Backends').getByRole('button', { name: 'Add' }).click()
    await part('Backends').getByRole('row').filter({ hasText: 'shop' }).waitFor()
    expect(await barriers(page)).toEqual([])

    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete team' }).click()
    await page.getByRole('alertdialog').getByText('TEAM_NOT_EMPTY').waitFor()

    const theirs = await visitAs('mira', '/admin/backends')
    await theirs.getByRole('row').filter({ hasText: 'shop' }).waitFor()
    expect(await theirs.getByRole('row').filter({ hasText: 'bank' }).count()).toBe(0)
    await openPage(theirs, 'Teams')
    await theirs.getByRole('row').filter({ hasText: 'Level design' }).click()
    await heading(theirs, 'Level design').waitFor()
    expect(await theirs.getByRole('button', { name: /Rename|Delete|Add|Take/ }).count()).toBe(0)

    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove shop' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await part('Backends').getByText('This team has no backends.').waitFor()
    await undo(page, 'shop belongs to no team now')
    await part('Backends').getByRole('row').filter({ hasText: 'shop' }).waitFor()
  })
})

describe.skipIf(!hasBrowser)(`the dialogs of teams (${where})`, { timeout: PATIENCE_MS }, () => {
  it('rename a team, and move a user into one and back', async () => {
    await addUser(gateway(), 'noor', 'viewer')
    const user = async () => (await gateway().admin('/admin-api/users/noor')).json
    const { id } = await make('/admin-api/teams', { name: 'Lighting' })
    const page = await visitAs('admin', `/admin/teams/${id}`)
    await page.getByRole('button', { name: 'Rename…' }).click()
    const rename = page.getByRole('dialog', { name: 'Rename Lighting' })
    await rename.getByLabel('Name').fill('-')
    await rename.getByRole('button', { name: 'Rename', exact: true }).click()
    await rename.getByText('must start with a letter or digit').waitFor()
    await rename.getByLabel('Name').fill('Light and sound')
    await rename.getByRole('button', { name: 'Rename', exact: true }).click()
    await heading(page, 'Light and sound').waitFor()
    await rename.waitFor({ state: 'hidden' })

    await openPage(page, 'Users')
    const row = page.getByRole('row').filter({ hasText: 'noor' })
    await row.getByRole('button', { name: 'Actions for noor' }).click()
    await page.getByRole('menuitem', { name: 'Change team…' }).click()
    const move = page.getByRole('dialog', { name: 'Team of noor' })
    await move.getByRole('combobox', { name: 'Team' }).click()
    await page.getByRole('option', { name: /^Light and sound/ }).click()
    await move.getByRole('button', { name: 'Change team' }).click()
    await row.getByText('Light and sound').waitFor()
    expect(await user()).toMatchObject({ teamId: id })
    await undo(page, 'noor changed the team')
    await soon(user).toMatchObject({ teamId: null })
  })
})

describe.skipIf(!hasBrowser)(`consumers (${where})`, { timeout: PATIENCE_MS }, () => {
  it('are made with a quota that keys use up while one looks', async () => {
    const key = await make('/admin-api/mcp-keys', { label: HOSTILE, scopes: { clients: ['bank'] } })
    const page = await visitAs('admin', '/admin/consumers')
    await page.getByRole('button', { name: 'New consumer' }).first().click()
    await page.getByLabel('Name').fill('Studio')
    await page.getByLabel('Monthly quota').fill('0')
    await page.getByRole('button', { name: 'Create consumer' }).click()
    await page.getByText('Too small').waitFor()
    await page.getByLabel('Monthly quota').fill('4')
    await page.getByRole('button', { name: 'Create consumer' }).click()
    await heading(page, 'Studio').waitFor()
    await pick(page, 'Add a key', /^<img/)
    await page.getByRole('region', { name: 'Keys' }).getByRole('button', { name: 'Add' }).click()
    await page.getByRole('region', { name: 'Keys' }).getByRole('row').filter({ hasText: '<img src=x' }).waitFor()
    expect(await page.locator('img').count()).toBe(0)

    const client = await connected('/mcp/bank', key.key, 'counter')
    for (const name of ['alpha', 'beta', 'alpha']) await client.callTool({ name })
    await client.close()
    await page.getByRole('region', { name: 'This month' }).getByText('3 of 4 (75%)').waitFor()
    expect(await barriers(page)).toEqual([])

    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByLabel('Monthly quota').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Limits' }).getByText('no limit').first().waitFor()
    await undo(page, 'Studio was changed')
    await page.getByRole('region', { name: 'This month' }).getByText('3 of 4 (75%)').waitFor()
  })

  it('are found by a word in the address, and only looked at by a viewer', async () => {
    await make('/admin-api/consumers', { name: HOSTILE })
    const page = await visitAsNew('watcher', 'viewer', '/admin/consumers?q=STUDIO')
    await page.getByRole('row').filter({ hasText: 'Studio' }).waitFor()
    expect(await page.getByLabel('Find a consumer').inputValue()).toBe('STUDIO')
    expect(await page.getByRole('row').count()).toBe(2)
    await page.getByLabel('Find a consumer').fill('<img src=x')
    await page.getByRole('row').filter({ hasText: HOSTILE }).click()
    await heading(page, HOSTILE).waitFor()
    expect(await page.getByRole('button', { name: /Change|Delete|Add/ }).count()).toBe(0)
    expect(await page.locator('main').evaluate((main) => main.scrollWidth <= main.clientWidth)).toBe(true)
    await turnTo(page, '/admin/consumers/987654')
    await heading(page, 'There is no such consumer').waitFor()
  })
})

describe.skipIf(!hasBrowser)(`policies (${where})`, { timeout: PATIENCE_MS }, () => {
  it('show what they would change before they change it', async () => {
    await make('/admin-api/bundles', {
      name: 'both',
      tools: ['shop', 'bank'].map((client) => ({ client, tool: 'alpha' })),
    })
    const guards = async (client: string, tool: string) =>
      jsonOf<{ guards: object | null }>(await gateway().admin(`/admin-api/clients/${client}/tools/${tool}`)).guards
    const page = await visitAs('admin', '/admin/policies')
    await page.getByRole('button', { name: 'New policy' }).first().click()
    await page.getByLabel('Name').fill('Careful')
    await page.getByLabel('Calls per minute').fill('6')
    await page.getByLabel('Timeout per attempt').fill('999999')
    await page.getByRole('button', { name: 'Create policy' }).click()
    await page.getByText('Too big').waitFor()
    await page.getByLabel('Timeout per attempt').fill('120000')
    await page.getByRole('button', { name: 'Create policy' }).click()
    await heading(page, 'Careful').waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Careful').waitFor()

    await pick(page, 'Bundle', /^both/)
    const table = page.getByRole('table', { name: 'Preview' })
    await soon(() => table.getByRole('row').count()).toBe(3)
    await table.getByText('no limit').first().waitFor()
    await table.getByText('2 min').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Try a call of alpha with these limits' }).first().click()
    const trial = page.getByRole('dialog', { name: 'Try a call of alpha' })
    await trial.getByRole('button', { name: 'Try the call' }).click()
    await trial.getByText('This call would be sent').waitFor()
    await trial.locator('summary', { hasText: 'Pipeline' }).click()
    await trial.getByText('rate limit').waitFor()
    await page.keyboard.press('Escape')
    expect(await guards('bank', 'alpha')).toBeNull()
    await page.getByRole('button', { name: 'Change 2 tools' }).click()
    await page.getByText('2 tools were changed.').waitFor()
    expect(await guards('bank', 'alpha')).toMatchObject({ rateLimitPerMin: 6, timeoutMs: 120_000 })

    await pick(page, 'To', 'Selected tools')
    await page.getByLabel('Find a tool').fill('bank')
    await soon(() => page.getByRole('table', { name: 'Tools' }).getByRole('row').count()).toBe(3)
    await page.getByRole('checkbox', { name: /all/i }).click()
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await soon(() => table.getByRole('row').count()).toBe(2)
    await page.getByText('1 stays as it is').click()
    await page.getByText('no change needed').waitFor()
    expect(await guards('bank', 'beta')).toBeNull()
  })
})

describe.skipIf(!hasBrowser)(`MCP sessions (${where})`, { timeout: PATIENCE_MS }, () => {
  it('appear when a client connects, and end', async () => {
    const { key } = await make('/admin-api/mcp-keys', { label: 'Maria’s laptop', scopes: { clients: ['bank'] } })
    const page = await visitAs('admin', '/admin/mcp-sessions')
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    const client = await connected('/mcp/bank', key, HOSTILE.slice(0, 60))
    const row = page.getByRole('row').filter({ hasText: 'Maria’s laptop' })
    await row.getByText('<img src=x').waitFor()
    await row.getByText('client:bank').waitFor()
    expect(await barriers(page)).toEqual([])
    await row.getByRole('button', { name: /^End the session/ }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'End session' }).click()
    // What lies below the question is out of reach for as long as it is open, and so no row.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await soon(() => row.count()).toBe(0)
    await expect(client.callTool({ name: 'alpha' })).rejects.toThrow(/404|session/i)
    // Of several instances, as `fleet-messages` and `fleet-registry` have it answered.
    await connected('/mcp/bank', key, 'kept')
    await intercept(page, '**/admin-api/mcp-sessions?*', async (route) => {
      const answer = await route.fetch()
      const { items } = (await answer.json()) as { items: object[] } // by the contract
      const instances = ['gateway-1', 'gateway-3']
      const json = { items: items.map((item) => ({ ...item, instances })), unanswered: ['gateway-2'] }
      await route.fulfill({ response: answer, json })
    })
    await page.reload()
    await page.getByText('Sessions of gateway-2 are missing: no answer.').waitFor()
    await row.getByText('gateway-1, gateway-3').waitFor()
    expect(await barriers(page)).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(`single sign-on (${where})`, { timeout: PATIENCE_MS }, () => {
  it('is tested before it is stored, maps groups to roles, and lets people in', async () => {
    const { issuer, state } = await realProvider(`${gateway().url}/admin-api/auth/oidc/callback`)
    state.who = { sub: 'u-7', preferred_username: 'ada', groups: ['crew'] }
    const page = await visitAs('admin', '/admin/single-sign-on')
    await page.getByText('Not set up').waitFor()
    await page.getByLabel('Issuer').fill(`${upstream.url}/missing`)
    await page.getByRole('button', { name: 'Test the provider' }).click()
    await page.getByText('does not serve').waitFor()
    await page.getByLabel('Issuer').fill(issuer)
    await page.getByRole('button', { name: 'Test the provider' }).click()
    await page.getByText('its keys are valid').waitFor()
    expect(await barriers(page)).toEqual([])

    await page.getByLabel('Claim with roles or groups').fill('groups')
    for (const [line, group] of ['admins', 'crew'].entries()) {
      await page.getByRole('button', { name: 'Add a group' }).click()
      await page.getByLabel(`Group ${line + 1}`, { exact: true }).fill(group)
    }
    await pick(page, 'Role of group 2', 'operator')
    await page.getByRole('checkbox', { name: 'Show on the sign-in page' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('is required', { exact: true }).waitFor()
    await page.getByLabel('Client id').fill(CLIENT.id)
    await page.getByLabel('Client secret').fill(CLIENT.secret)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('People may sign in with it now').waitFor()
    await page.getByPlaceholder('Stored; type to replace it').waitFor()
    expect(await page.locator('body').innerHTML()).not.toContain(CLIENT.secret)

    const theirs = await visit('/admin', { leadsTo: issuer })
    await theirs
      .getByRole('link', { name: /single sign-on|sso/i })
      .or(theirs.getByRole('button', { name: /single sign-on|sso/i }))
      .click()
    await theirs.getByRole('button', { name: 'Signed in as ada' }).click()
    await theirs.getByText('operator', { exact: true }).waitFor()
  })

  it('keeps what is typed when another user saves, and asks whose it shall be', async () => {
    const at = '/admin-api/auth/oidc/settings'
    const page = await visitAs('admin', '/admin/single-sign-on')
    const claim = page.getByLabel('Claim with the user name')
    const inBetween = async (usernameClaim: string): Promise<void> => {
      const { source: _, clientSecretSet: __, ...now } = jsonOf(await gateway().admin(at))
      const { status, text } = await gateway().admin(at, { method: 'PUT', body: { ...now, usernameClaim } })
      expect(status, text).toBe(200)
    }
    const contested = page.getByRole('alert').getByText('Someone else changed the settings')
    await claim.fill('nickname')
    await inBetween('email')
    await contested.waitFor()
    expect(await claim.inputValue()).toBe('nickname')
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Take theirs' }).click()
    expect(await claim.inputValue()).toBe('email')

    await claim.fill('nickname')
    await inBetween('upn')
    await contested.waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await soon(async () => (await gateway().admin(at)).json).toMatchObject({ usernameClaim: 'nickname' })
  })

  it('is open only to administrators of the whole gateway', async () => {
    const page = await visitAsNew('curious', 'operator', '/admin/single-sign-on')
    await heading(page, 'Single sign-on is not open to you').waitFor()
  })
})
